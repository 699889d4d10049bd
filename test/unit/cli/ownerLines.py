"""Live bytes and blocks by owner line, found the plain way: pickle.load, dictionaries, sums.

    python3 ownerLines.py FROM TO FILE...

Frames whose file starts with FROM belong to the workspace, where they start with TO; empty FROM means no workspace.
Prints one JSON object per file: {"lines": {"file:line:function": [bytes, blocks]}, "library": n, "before": n,
"noStack": n, "live": n}.
"""
import gzip
import json
import pickle
import re
import sys

LIBRARY = re.compile(
    r'[\\/](site-packages|dist-packages|leakline_recorder)[\\/]'
    r'|[\\/]lib[\\/]python\d'
    r'|torchinductor_|fx_generated__'
    r'|[\\/](python\d+|envs[\\/][^\\/]+|\w*conda\d?|cpython-[^\\/]*)[\\/]lib[\\/]',
    re.IGNORECASE,
)
QUOTED = re.compile(r'File "(.+)", line (\d+), in (.+)')


def is_users(name):
    if re.match(r'<ipython-input|<stdin>', name):
        return True
    return re.search(r'\.pyx?$', name) is not None and not LIBRARY.search(name)


def owner(frames, start, to):
    """The first frame in the workspace, else the first that is not a library's."""
    for file, line, function in frames:
        if start and file.startswith(start):
            return f'{to}{file[len(start):]}:{line}:{function}'
    for file, line, function in frames:
        if is_users(file):
            return f'{file}:{line}:{function}'
    return None


def words(frames):
    return [(f['filename'], f['line'] if f['line'] < 2**31 else -1, f['name']) for f in frames]


def forward_words(pieces):
    """Traceback texts, outermost first; turned round."""
    return [(m[0], int(m[1]), m[2]) for piece in reversed(pieces) for m in reversed(QUOTED.findall(piece))]


def segments_of(snapshot):
    return snapshot if isinstance(snapshot, list) else snapshot['segments']


def traces_of(snapshot):
    return [] if isinstance(snapshot, list) else snapshot.get('device_traces', [])


def frames_of(block):
    # Until 2.0 the stack stands in the history, the current allocation's first.
    history = block.get('history') or [{}]
    return block.get('frames', history[0].get('frames', []))


def has_stacks(snapshot):
    entries = [entry for trace in traces_of(snapshot) for entry in trace]
    blocks = [block for segment in segments_of(snapshot) for block in segment['blocks']]
    return any(entry.get('frames') for entry in entries) or any(frames_of(block) for block in blocks)


def recorded_of(snapshot):
    """Devices and addresses that the trace leaves allocated."""
    recorded = set()
    for device, trace in enumerate(traces_of(snapshot)):
        for entry in trace:
            if entry['action'] == 'alloc':
                recorded.add((device, entry['addr']))
            elif entry['action'] == 'free_completed':
                recorded.discard((device, entry['addr']))
    return recorded


def analyze(path, start, to):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as file:
        snapshot = pickle.load(file)
    forward = {}
    for device, trace in enumerate(traces_of(snapshot)):
        for entry in trace:
            if entry['action'] == 'alloc':
                forward[device, entry['addr']] = entry.get('forward_frames', [])
    lines, sums = {}, {'library': 0, 'before': 0, 'noStack': 0, 'live': 0}
    recorded = recorded_of(snapshot)
    blind = not has_stacks(snapshot)
    for segment in segments_of(snapshot):
        for block in segment['blocks']:
            if block['state'] == 'inactive':
                continue
            sums['live'] += block['size']
            frames = words(frames_of(block))
            hints = forward_words(forward.get((segment['device'], block.get('address')), []))
            key = owner(frames, start, to) or owner(hints, start, to)
            if key is not None:
                entry = lines.setdefault(key, [0, 0])
                entry[0] += block['size']
                entry[1] += 1
            elif frames or hints:
                sums['library'] += block['size']
            else:
                known = blind or (segment['device'], block.get('address')) in recorded
                sums['noStack' if known else 'before'] += block['size']
    return {'lines': lines, **sums}


if __name__ == '__main__':
    start, to, *files = sys.argv[1:]
    for name in files:
        print(json.dumps(analyze(name, start, to)))
