"""The enumerated list of old and new wordings, and how a line is held against it.

A file of wordings has a pair a line, separated by a tab. `{}` stands for any text; the new wording has it in the same order, or by number
(`{2}` is the second). `\\n` in a new wording makes two lines of one. An empty new wording: the line is no longer said; an empty old one: it is
said now and was not before. Other lines:

    # a note
    @key    OLD    NEW      a key of a JSON object was renamed
    @drop   REGEX           lines of text that are left out on both sides (progress, say)
"""

import re
from collections import Counter
from difflib import SequenceMatcher

WILD = re.compile(r"\{(\d*)\}")
TOKEN = re.compile(r"\d[\d,.]*\d|\w+|\s+|[^\w\s]")


class Pair:
    """An old wording and its new one."""

    def __init__(self, old, new, line):
        self.old, self.new, self.line = old, new, line
        parts = WILD.split(old)[::2]
        self.regex = re.compile("(.+?)".join(re.escape(part) for part in parts))
        # Within a line a wording must have a definite beginning and end.
        self.within = bool(old) and bool(parts[0]) and bool(parts[-1])
        self.weight = sum(len(part) for part in parts)

    def of(self, match):
        """The new wording of what was matched."""
        groups = iter(match.groups())
        chosen = lambda found: match.group(int(found.group(1))) if found.group(1) else next(groups, "")
        return WILD.sub(chosen, self.new).replace("\\n", "\n")


class Wording:
    """All pairs of a file."""

    def __init__(self, path=None):
        self.pairs, self.gone, self.come, self.keys, self.drops, self.used = [], [], [], {}, [], Counter()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path else [], 1):
            if not line.strip() or line.startswith("#"):
                continue
            cells = line.split("\t")
            if cells[0] == "@key" and len(cells) == 3:
                self.keys[cells[1]] = cells[2]
            elif cells[0] == "@drop" and len(cells) == 2:
                self.drops.append(re.compile(cells[1]))
            elif len(cells) == 2 and any(cells) and not cells[0].startswith("@"):
                pair = Pair(*cells, line)
                where = self.pairs if cells[0] and cells[1] else self.gone if cells[0] else self.come
                where.append(Pair(cells[1], "", line) if not cells[0] else pair)
            else:
                raise SystemExit(f"{path}: line {number} is neither a pair nor a rule: {line!r}")
        self.pairs.sort(key=lambda pair: -pair.weight)

    def dropped(self, line):
        """Whether a line is left out on both sides."""
        return any(rule.search(line) for rule in self.drops)

    def rename(self, value):
        """A JSON value with its renamed keys."""
        if not self.keys:
            return value
        if isinstance(value, dict):
            return {self.keys.get(key, key): self.rename(inner) for key, inner in value.items()}
        return [self.rename(inner) for inner in value] if isinstance(value, list) else value

    def candidates(self, line):
        """What a line may be said as now, each with the pairs that say so."""
        found = []
        for pair in self.pairs:
            match = pair.regex.fullmatch(line)
            if match:
                found.append((pair.of(match), [pair]))
        said, used, at = [], [], 0
        within = [pair for pair in self.pairs if pair.within]
        while within:
            matches = [(match.start(), -pair.weight, order, pair, match) for order, pair in enumerate(within) if (match := pair.regex.search(line, at))]
            if not matches:
                break
            start, _, _, pair, match = min(matches)
            said += [line[at:start], pair.of(match)]
            used.append(pair)
            at = match.end()
        if used:
            found.append(("".join(said) + line[at:], used))
        return found

    def explains(self, old, new):
        """Whether lines became others by the list alone; gives the old and new lines that remain unexplained, in runs."""
        mapped = []
        there = set(new)
        for line in old:
            chosen, pairs = line, []
            if line not in there:
                found = self.candidates(line)
                fitting = [one for one in found if all(part in there for part in one[0].split("\n"))]
                chosen, pairs = (fitting or found or [(line, [])])[0]
            mapped += [(part, line, pairs) for part in chosen.split("\n")]
        left, reworded = [], 0
        matcher = SequenceMatcher(None, [one[0] for one in mapped], new, autojunk=False)
        for what, i1, i2, j1, j2 in matcher.get_opcodes():
            if what == "equal":
                for _, _, pairs in mapped[i1:i2]:
                    reworded += bool(pairs)
                    self.used.update(pair.line for pair in pairs)
                continue
            before, after = [], []
            for _, line, _ in mapped[i1:i2]:
                rule = next((pair for pair in self.gone if pair.regex.fullmatch(line)), None)
                if rule:
                    self.used[rule.line] += 1
                    reworded += 1
                elif not before or before[-1] != line:
                    before.append(line)
            for line in new[j1:j2]:
                rule = next((pair for pair in self.come if pair.regex.fullmatch(line)), None)
                if rule:
                    self.used[rule.line] += 1
                    reworded += 1
                else:
                    after.append(line)
            if before or after:
                left.append((before, after))
        return reworded, left


def aligned(before, after):
    """Pairs of old and new lines; what has no counterpart is paired with nothing."""
    if len(before) * len(after) > 250_000:
        return [(line, "") for line in before] + [("", line) for line in after]
    like = lambda a, b: SequenceMatcher(None, TOKEN.findall(a), TOKEN.findall(b), autojunk=False).ratio()
    best = [[0.0] * (len(after) + 1) for _ in range(len(before) + 1)]
    ratio = [[like(a, b) for b in after] for a in before]
    for i in range(len(before) - 1, -1, -1):
        for j in range(len(after) - 1, -1, -1):
            together = ratio[i][j] + best[i + 1][j + 1] if ratio[i][j] >= 0.3 else -1.0
            best[i][j] = max(together, best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(before) and j < len(after):
        if ratio[i][j] >= 0.3 and best[i][j] == ratio[i][j] + best[i + 1][j + 1]:
            pairs.append((before[i], after[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            pairs.append((before[i], ""))
            i += 1
        else:
            pairs.append(("", after[j]))
            j += 1
    return pairs + [(line, "") for line in before[i:]] + [("", line) for line in after[j:]]


def generalised(pairs):
    """Candidates for the list: pairs that differ in the same words are one, with `{}` for what varies. (old, new, count) each, most frequent first."""
    groups = {}
    for (old, new), count in pairs.items():
        a, b = TOKEN.findall(old), TOKEN.findall(new)
        blocks = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
        # A blank that happens to be in both does not tell where a wording stays.
        blocks = [block for block in blocks if block.size == 0 or "".join(a[block.a : block.a + block.size]).strip()]
        changed, same, i, j = [], [], 0, 0
        for block in blocks:
            changed.append(("".join(a[i : block.a]), "".join(b[j : block.b])))
            same.append("".join(a[block.a : block.a + block.size]))
            i, j = block.a + block.size, block.b + block.size
        groups.setdefault(tuple(changed), []).append((same, count))
    found = []
    for changed, members in groups.items():
        common = [_common([same[at] for same, _ in members]) for at in range(len(changed))]
        old = "".join(before + kept for (before, _), kept in zip(changed, common))
        new = "".join(after + kept for (_, after), kept in zip(changed, common))
        found.append((old, new, sum(count for _, count in members)))
    return sorted(found, key=lambda one: (-one[2], one))


def _common(texts):
    """What texts have in common, in order, with `{}` for what differs between them."""
    template = TOKEN.findall(texts[0])
    for text in set(texts[1:]) - {texts[0]}:
        row = TOKEN.findall(text)
        merged, i, j = [], 0, 0
        for block in SequenceMatcher(None, template, row, autojunk=False).get_matching_blocks():
            if (block.a, block.b) != (i, j) and merged[-1:] != ["{}"]:
                merged.append("{}")
            merged += template[block.a : block.a + block.size]
            i, j = block.a + block.size, block.b + block.size
        template = merged
    joined = "".join(template)
    return re.sub(r"\{\}(?:\s*\{\})+", "{}", joined)
