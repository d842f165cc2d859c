"""Words, the labels of the word-word grid, and the decoding of mentions from it (Li et al. 2022, "Unified Named Entity Recognition as
Word-Word Relation Classification")."""
import numpy as np

NONE, NNW = 0, 1
TAIL_HEAD = 2  # plus the type
LABELS = 4
MOST_WORDS = 80
MOST_PIECES = 254
MOST_MENTIONS = 256


class Words:
    """Words of a text: the units of BERT's own splitting (white space and single punctuation marks), with pieces and places."""

    def __init__(self, tokeniser):
        self.tokeniser = tokeniser
        self.first, self.last = tokeniser.token_to_id("[CLS]"), tokeniser.token_to_id("[SEP]")

    def of(self, text):
        """[(pieces, begin, end)] of each word."""
        encoded = self.tokeniser.encode(text, add_special_tokens=False)
        words, before = [], None
        for piece, word, (begin, end) in zip(encoded.ids, encoded.word_ids, encoded.offsets):
            if word != before:
                words.append(([], begin, end))
                before = word
            pieces, start, _ = words[-1]
            pieces.append(piece)
            words[-1] = (pieces, start, end)
        return words

    def windows(self, text):
        """The words in windows that fit the network."""
        window, count = [], 0
        for word in self.of(text):
            word = (word[0][:MOST_PIECES], *word[1:])
            if len(window) == MOST_WORDS or count + len(word[0]) > MOST_PIECES:
                yield window
                window, count = [], 0
            window.append(word)
            count += len(word[0])
        if window:
            yield window


def labels(words, spans):
    """The grid of a window, and how many mentions did not fit it."""
    grid, lost = np.zeros((len(words), len(words)), dtype=np.int64), 0
    begins, ends = {w[1]: i for i, w in enumerate(words)}, {w[2]: i for i, w in enumerate(words)}
    for begin, end, kind in spans:
        if begin not in begins or end not in ends:
            lost += 1
            continue
        head, tail = begins[begin], ends[end]
        for i in range(head, tail):
            grid[i, i + 1] = NNW
        grid[tail, head] = TAIL_HEAD + kind
    return grid, lost


def decode(grid):
    """Mentions of a grid of labels: [(words, type)], each the words of a path of NNW from the head to the tail."""
    size, mentions = len(grid), []
    following = [[j for j in range(i + 1, size) if grid[i][j] == NNW] for i in range(size)]
    for head in range(size):
        for tail in range(head, size):
            kind = grid[tail][head] - TAIL_HEAD
            if kind < 0:
                continue
            reaches = [False] * size
            reaches[tail] = True
            for i in range(tail - 1, head - 1, -1):
                reaches[i] = any(j <= tail and reaches[j] for j in following[i])
            paths = [[head]] if reaches[head] else []
            while paths:
                path = paths.pop()
                if path[-1] == tail:
                    mentions.append((tuple(path), int(kind)))
                    if len(mentions) == MOST_MENTIONS:
                        return mentions
                    continue
                paths.extend(path + [j] for j in reversed(following[path[-1]]) if j <= tail and reaches[j])
    return mentions
