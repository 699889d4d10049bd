"""Every file that PyTorch's profiler, cycle detector and statistics write, of one small training: exportAll.py FOLDER."""
import gc
import json
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


def print_statistics(folder):
    """What memory_summary() prints of numbers that memory_stats() gives, which a machine without a GPU has none of."""
    said = {}
    metrics = {"current": 123_456_789, "peak": 223_456_789, "allocated": 9_923_456_789, "freed": 9_800_000_000}
    quantities = ("allocated", "active", "requested", "reserved", "inactive_split")
    for i, quantity in enumerate(quantities):
        for pool in ("all", "large_pool", "small_pool"):
            for metric, value in metrics.items():
                said[f"{quantity}_bytes.{pool}.{metric}"] = value * (i + 1)
    for quantity in ("allocation", "active", "segment", "inactive_split", "oversize_allocations", "oversize_segments"):
        for pool in ("", ".all", ".large_pool", ".small_pool"):
            for metric in metrics:
                said[f"{quantity}{pool}.{metric}"] = 12
    said["num_ooms"] = said["num_alloc_retries"] = 0
    torch.cuda.memory.memory_stats = lambda device=None: said
    summaries = [torch.cuda.memory.memory_summary(0), torch.cuda.memory.memory_summary(1, abbreviated=True)]
    (folder / "memory_summary.txt").write_text("".join(summaries * 3))
    (folder / "memory_stats.json").write_text(json.dumps(said))


def save_models(folder):
    """What lies about beside snapshots and is none."""
    layer = torch.nn.Linear(8, 8)
    torch.save(layer.state_dict(), folder / "weights.pt")
    torch.save(layer.state_dict(), folder / "weights_legacy.pt", _use_new_zipfile_serialization=False)
    torch.save({"model": layer.state_dict(), "step": 7}, folder / "checkpoint.pth")
    torch.save(layer, folder / "module.pt")
    with open(folder / "module.pickle", "wb") as file:
        pickle.dump(layer, file)
    with open(folder / "numpy.pickle", "wb") as file:
        pickle.dump({"segments": [{"device": torch.zeros(1).numpy()[0], "blocks": []}]}, file)


def main(folder):
    with profile(
        activities=[ProfilerActivity.CPU], profile_memory=True, record_shapes=True, with_stack=True
    ) as recorded:
        alive = train()
    for name in ("timeline.json", "timeline.json.gz", "timeline.raw.json.gz", "timeline.html"):
        recorded.export_memory_timeline(str(folder / name), device="cpu")
    with open(folder / "profile.pickle", "wb") as file:
        pickle.dump(_profile_to_snapshot(recorded), file)
    print_statistics(folder)
    save_models(folder)
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
