"""Names that Jupyter gives to the texts on standard input (JSON), in plain Python: `hashlib` and the published algorithm."""
import hashlib
import json
import sys

MASK = 0xFFFFFFFF
M = 0x5BD1E995


def murmur2(data, seed):
    """Austin Appleby's MurmurHash2, word by word, with integers that never overflow."""
    mixed = seed ^ len(data)
    whole = len(data) - len(data) % 4
    for start in range(0, whole, 4):
        word = int.from_bytes(data[start : start + 4], "little") * M & MASK
        word = (word ^ word >> 24) * M & MASK
        mixed = mixed * M & MASK ^ word
    if whole < len(data):
        mixed = (mixed ^ int.from_bytes(data[whole:], "little")) * M & MASK
    mixed = (mixed ^ mixed >> 13) * M & MASK
    return mixed ^ mixed >> 15


def names(text):
    compiled = text if text.endswith("\n") else text + "\n"
    digest = hashlib.sha1(compiled.encode()).hexdigest()[:12]
    older = hashlib.md5(compiled.encode()).hexdigest()[:12]
    return [
        f"/tmp/ipykernel_4711/{murmur2(text.encode(), 0xC70F6907)}.py",
        f"C:\\Users\\me\\AppData\\Local\\Temp\\ipykernel_12\\{murmur2(text.encode(), 0xC70F6907)}.py",
        f"<ipython-input-5-{digest}>",
        f"<ipython-input-12-{older}>",
    ]


print(json.dumps([names(text) for text in json.load(sys.stdin)]))
