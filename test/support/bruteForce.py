"""The plain reading of snapshots that the columns are compared with: pickle.load, dictionaries, sums.

    python3 bruteForce.py FILE...

Prints one JSON object per file: live, reserved and requested bytes and events per device, and live bytes and blocks
per stack, a stack being its frames in words.
"""
import json
import pickle
import sys


def words(frames):
    return [[f["filename"], f["line"] if f["line"] < 2**31 else -1, f["name"]] for f in frames]


def brute_force(path):
    with open(path, "rb") as file:
        snapshot = pickle.load(file)
    devices, stacks = {}, {}
    for number, trace in enumerate(snapshot["device_traces"]):
        devices[number] = {"live": 0, "reserved": 0, "requested": 0, "events": len(trace)}
    for segment in snapshot["segments"]:
        device = devices.setdefault(segment["device"], {"live": 0, "reserved": 0, "requested": 0, "events": 0})
        device["reserved"] += segment["total_size"]
        for block in segment["blocks"]:
            if block["state"] == "inactive":
                continue
            device["live"] += block["size"]
            device["requested"] += block["requested_size"]
            key = json.dumps(words(block.get("frames", [])))
            entry = stacks.setdefault(key, [0, 0])
            entry[0] += block["size"]
            entry[1] += 1
    return {"devices": devices, "stacks": [[json.loads(key), *entry] for key, entry in sorted(stacks.items())]}


for name in sys.argv[1:]:
    print(json.dumps(brute_force(name)))
