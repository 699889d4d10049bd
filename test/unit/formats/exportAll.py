"""Every file that PyTorch's profiler and cycle detector write, of one small training on the CPU: exportAll.py FOLDER."""
import gc
import pickle
import sys
import traceback
import warnings
from pathlib import Path

import torch
from torch.cuda._memory_viz import _profile_to_snapshot
from torch.profiler import ProfilerActivity, profile
from torch.utils.viz import _cycles

warnings.simplefilter("ignore")
kept = []
stacks = {}


def train():
    model = torch.nn.Linear(64, 64)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        loss = model(torch.randn(16, 64)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept.append(loss)
    return model, optimizer


def leak_in_a_cycle():
    value = torch.zeros(1000)
    frames = reversed(traceback.extract_stack())
    stacks[id(value)] = "\n".join(f"{frame.filename}:{frame.lineno}:{frame.name}" for frame in frames)
    holder = [value]
    holder.append(holder)


def main(folder):
    with profile(
        activities=[ProfilerActivity.CPU], profile_memory=True, record_shapes=True, with_stack=True
    ) as recorded:
        alive = train()
    for name in ("timeline.json", "timeline.json.gz", "timeline.raw.json.gz", "timeline.html"):
        recorded.export_memory_timeline(str(folder / name), device="cpu")
    with open(folder / "profile.pickle", "wb") as file:
        pickle.dump(_profile_to_snapshot(recorded), file)
    recorded.export_chrome_trace(str(folder / "chrome.json"))

    def drawn(garbage):
        def is_tensor(thing):
            return isinstance(thing, torch.Tensor)

        def context(thing):
            return stacks.get(id(thing)) if is_tensor(thing) else None

        graph = _cycles.create_graph(garbage, context=context, filter=is_tensor)
        if graph:
            (folder / "cycle.html").write_text(_cycles.to_html(graph))
            (folder / "cycle.dot").write_text(_cycles.to_dot(graph))

    stop = _cycles.observe_garbage(drawn)
    leak_in_a_cycle()
    gc.collect()
    stop()
    del alive


main(Path(sys.argv[1]))
