"""CPython's own reader: python3 cpython.py gc|nogc FILE. Prints a measurement as JSON."""
import gc
import json
import os
import pickle
import resource
import sys
import time


def peak_bytes():
    try:
        with open('/proc/self/status') as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith('VmHWM'))
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == 'darwin' else peak * 1024


mode, path = sys.argv[1:]
if mode == 'nogc':
    gc.disable()
start, cpu = time.perf_counter(), time.process_time()
with open(path, 'rb') as file:
    snapshot = pickle.load(file)
live = sum(b['size'] for s in snapshot['segments'] for b in s['blocks'] if b['state'] != 'inactive')
events = sum(map(len, snapshot['device_traces']))
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
found = {'events': events, 'liveBytes': live}
print(json.dumps({'seconds': seconds, 'cpuSeconds': cpu, 'peakBytes': peak_bytes(), **found}))
sys.stdout.flush()
# Freeing millions of objects one by one would only be waited for.
os._exit(0)
