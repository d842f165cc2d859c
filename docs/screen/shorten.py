"""Shortens a recording for the picture of the screen: of the chains found, those that were kept or nearly kept stay, with their neighbours in the list.

    catena ask "QUESTION" --events FULL.jsonl
    python3 docs/screen/shorten.py FULL.jsonl > docs/screen/run.jsonl
    CATENA_WRITE_PICTURE=1 cargo test --test tui picture

Numbers of chains and entities are changed accordingly; how many chains were found stays what it was.
"""

import json
import sys

NEIGHBOURS = 2


def shortened(table, chosen):
    """The table with the chosen chains alone, and the new number of each."""
    chains = [table["chains"][old] for old in chosen]
    used = sorted({node for chain in chains for node in chain["n"]})
    entity = {old: new for new, old in enumerate(used)}
    for chain in chains:
        chain["n"] = [entity[node] for node in chain["n"]]
    table["entities"] = [table["entities"][old] for old in used]
    table["chains"] = chains
    stays = [row for row in table.get("qualified", []) if row["head"] in entity and row["tail"] in entity]
    for row in stays:
        row["head"], row["tail"] = entity[row["head"]], entity[row["tail"]]
    table["qualified"] = stays
    return {old: new for new, old in enumerate(chosen)}


def main():
    events = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    pruning = next(event["pruning"] for event in events if event["event"] == "chains_pruned")
    table = next(event["table"] for event in events if event["event"] == "chains_found")
    named = [row["chain"] for key in ("kept", "runners_up") for row in pruning[key]]
    near = {chain + step for chain in named for step in range(-NEIGHBOURS, NEIGHBOURS + 1)}
    number = shortened(table, sorted(chain for chain in near if 0 <= chain < len(table["chains"])))
    for key in ("kept", "runners_up"):
        for row in pruning[key]:
            row["chain"] = number[row["chain"]]
    for event in events:
        event["run"] = "screen"
        print(json.dumps(event, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()
