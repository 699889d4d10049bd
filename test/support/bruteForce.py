"""The plain reading of snapshots that the columns are compared with: pickle.load, json.load, dictionaries, sums.

    python3 bruteForce.py FILE...

Prints one JSON object per file: live, reserved and requested bytes and events per device, and live bytes and blocks
per stack, a stack being its frames in words, and live bytes per category of the profiler; or {"none": kind} for a file that holds no snapshot. Nothing but the
standard library, and nothing shared with the reader.
"""
import base64
import gzip
import io
import json
import pickle
import re
import sys
import zipfile

LEGACY_MAGIC = 0x1950A86A20F9469CFC6C


def contents(data):
    """What a file holds, unpacked: a Python value, or the bytes or text of something else."""
    if data[:2] == b"\x1f\x8b":
        return contents(gzip.decompress(data))
    if data[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            name = next(name for name in archive.namelist() if name.endswith("/data.pkl"))
            return contents(archive.read(name))
    if data[:1] == b"\x80":
        file = io.BytesIO(data)
        value = pickle.load(file)
        if value == LEGACY_MAGIC:
            pickle.load(file), pickle.load(file)
            value = pickle.load(file)
        return value
    if data.lstrip()[:1] in (b"{", b"["):
        try:
            return json.loads(data)
        except json.JSONDecodeError:
            return [json.loads(line) for line in data.splitlines() if line.strip()]
    if data.lstrip()[:1] == b"<":
        page = re.search(rb'local_files = (\[.*?\])\s*\n', data)
        if page:
            return contents(base64.b64decode(json.loads(page.group(1))[0]["base64"]))
    return data


def is_native(name):
    return not (name == "" or re.search(r"\.pyw?$|^<|\.py:", name, re.I))


def words(frames):
    stack = []
    for f in frames:
        file, line, name = f["filename"], f["line"], f["name"]
        if file == "none":
            file, line, name = profiler_frame(name)
        offset = is_native(file) and file != "??" and not re.search(
            r"\.(c|cc|cpp|cxx|cu|cuh|h|hh|hpp|hxx|inc|inl|ipp|m|mm|rs|s|pyx|pxd|pxi)$", file, re.I)
        stack.append([file, -1 if offset or not 0 < line < 2**31 else line, name])
    # A stack that does not end natively was put together wrongly where it is mixed.
    if stack and not is_native(stack[-1][0]):
        stack = [w for w in stack if is_native(w[0])] + [w for w in stack if not is_native(w[0])]
    return stack


def from_snapshot(value):
    segments = value["segments"] if isinstance(value, dict) else value
    traces = dict(enumerate(value.get("device_traces", []))) if isinstance(value, dict) else {}
    if isinstance(value, dict) and value.get("host_segments"):
        segments = segments + value["host_segments"]
        traces[-1] = value["host_traces"]
    devices, stacks, categories, last = {}, {}, {}, {}
    lacks_requested = False
    for number, trace in traces.items():
        devices[number] = {"live": 0, "reserved": 0, "requested": 0, "events": len(trace)}
        for entry in trace:
            if entry["action"] == "alloc":
                last[number, entry["addr"]] = entry
            elif entry["action"] == "free_completed":
                last.pop((number, entry["addr"]), None)
    for segment in segments:
        device = devices.setdefault(segment["device"], {"live": 0, "reserved": 0, "requested": 0, "events": 0})
        device["reserved"] += segment["total_size"]
        end = segment["address"]
        for block in segment["blocks"]:
            address = block.get("address", end)
            end = address + block["size"]
            if block["state"] == "inactive":
                continue
            category = last.get((segment["device"], address), {}).get("category")
            if category is not None:
                categories[category] = categories.get(category, 0) + block["size"]
            life = (block.get("history") or [{}])[0]
            device["live"] += block["size"]
            lacks_requested |= "requested_size" not in block and "real_size" not in life
            device["requested"] += block.get("requested_size", life.get("real_size", 0))
            key = json.dumps(words(block.get("frames", life.get("frames", []))))
            entry = stacks.setdefault(key, [0, 0])
            entry[0] += block["size"]
            entry[1] += 1
    # The profiler's segment reaches from the lowest to the highest address: nothing that was reserved. It has the sizes
    # of blocks.
    if categories:
        forget(devices, "reserved")
    if categories or lacks_requested:
        forget(devices, "requested")
    return result(devices, stacks, categories)


def forget(devices, what):
    for device in devices.values():
        device[what] = None


def result(devices, stacks, categories=()):
    return {
        "devices": devices,
        "stacks": [[json.loads(key), *entry] for key, entry in sorted(stacks.items())],
        "categories": dict(categories),
    }


def profiler_frame(name):
    match = re.fullmatch(r"(.+?)\((\d+)\): (.+)", name, re.S)
    if not match:
        return ["", -1, name]
    file, line, function = match[1], int(match[2]), match[3]
    # The line of a user's function is where it begins.
    is_users = re.search(r"\.py$", file) and not re.match(r"torch/|<|.*/(site-packages|lib/python\d)", file)
    return [file, line, f"def {function}" if is_users and not function.startswith("<") else function]


def totals(live):
    return {"live": 0, "reserved": 0, "requested": 0, "events": 0} if live is None else live


def from_chrome(events):
    memory = sorted((e for e in events if e["name"] == "[memory]"), key=lambda e: e["ts"])
    calls = [e for e in events if e.get("cat") == "python_function"]
    if any(e["args"]["Device Type"] != 0 for e in memory):
        memory = [e for e in memory if e["args"]["Device Type"] != 0]
    devices, held = {}, {}
    for event in memory:
        args = event["args"]
        number = max(0, args["Device Id"])
        device = devices[number] = totals(devices.get(number))
        device["events"] += 1
        device["live"] = args["Total Allocated"]
        device["reserved"] = args["Total Reserved"] or args["Total Allocated"]
        if args["Bytes"] > 0:
            held[number, args["Addr"]] = event
        else:
            held.pop((number, args["Addr"]), None)
    stacks, known = {}, 0
    for event in held.values():
        at = event["ts"]
        around = [c for c in calls if c["tid"] == event["tid"] and c["ts"] <= at <= c["ts"] + c["dur"]]
        around.sort(key=lambda c: (-c["ts"], c["dur"]))
        entry = stacks.setdefault(json.dumps([profiler_frame(c["name"]) for c in around]), [0, 0])
        entry[0] += event["args"]["Bytes"]
        entry[1] += 1
        known += event["args"]["Bytes"]
    before = sum(d["live"] for d in devices.values()) - known
    if before > 0:
        stacks.setdefault("[]", [0, 0])[0] += before
        stacks["[]"][1] += 1
    forget(devices, "requested")
    if not any(e["args"]["Total Reserved"] for e in memory):
        forget(devices, "reserved")
    return result(devices, stacks)


def brute_force(path):
    with open(path, "rb") as file:
        value = contents(file.read())
    if isinstance(value, dict) and "traceEvents" in value:
        return from_chrome(value["traceEvents"])
    if isinstance(value, dict) and "segments" in value:
        return from_snapshot(value)
    if isinstance(value, list) and value and isinstance(value[0], dict) and "total_size" in value[0]:
        return from_snapshot(value)
    return {"none": type(value).__name__}


for name in sys.argv[1:]:
    print(json.dumps(brute_force(name)))
