"""Writes snapshots as CPython does, shared objects shared: python3 writePickles.py FOLDER, JSON on standard input.

The input is a list of {"name": ..., "lists": [[frame, ...], ...], "value": ...}; in the value {"$list": i} stands for
the i-th list, one object wherever it stands. Writes NAME.p2.pickle to NAME.p5.pickle and NAME.legacy.pt.
"""
import json
import pickle
import sys
from pathlib import Path

MAGIC = 0x1950A86A20F9469CFC6C
TUPLES = ("pool_id", "segment_pool_id")


def resolved(value, lists):
    if isinstance(value, list):
        return [resolved(item, lists) for item in value]
    if not isinstance(value, dict):
        return value
    if "$list" in value:
        return lists[value["$list"]]
    return {
        sys.intern(key): tuple(item) if key in TUPLES else resolved(item, lists) for key, item in value.items()
    }


def main(folder):
    for entry in json.load(sys.stdin):
        frames = {}
        lists = [[frames.setdefault(json.dumps(frame), frame) for frame in stack] for stack in entry["lists"]]
        value = resolved(entry["value"], lists)
        for protocol in (2, 3, 4, 5):
            (folder / f"{entry['name']}.p{protocol}.pickle").write_bytes(pickle.dumps(value, protocol))
        with open(folder / f"{entry['name']}.legacy.pt", "wb") as file:
            for part in (MAGIC, 1001, {"little_endian": True}, value, []):
                pickle.dump(part, file, 2)


main(Path(sys.argv[1]))
