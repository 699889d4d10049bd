"""The recorder over CPU PyTorch: autograd graphs, the allocator's model, and planted programs from start to end."""
from __future__ import annotations

import collections
import gc
import glob
import gzip
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import warnings
import weakref

import torch
from torch import nn
from leakline_recorder.cpu_memory import CpuMemory, OutOfModelMemory, CachingAllocator, MIB, NO_STACK
from leakline_recorder.holders import Blocks, HolderWalk
from leakline_recorder.holders.deadline import Deadline
from leakline_recorder.holders.graph import Graphs, sequence
from leakline_recorder.holders.heap import Heap
from leakline_recorder.holders.stale import stale_keys
from leakline_recorder.step_counter import StepCounter
from torch.utils.checkpoint import checkpoint

PLANTED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'fixtures', 'planted')


def saved_bytes(root, graphs=None):
    graphs = graphs or Graphs(Deadline(10), False)
    storages = {saved.untyped_storage().data_ptr(): saved.untyped_storage().nbytes() for saved, _ in graphs.reach(root).saved}
    return sum(storages.values())


class GraphTest(unittest.TestCase):
    def setUp(self):
        self.weight = torch.randn(8, 8, requires_grad=True)

    def test_what_a_graph_saved(self):
        x = torch.randn(100, 8)
        self.assertEqual(saved_bytes((x @ self.weight).exp().sum()), x.nbytes + 100 * 8 * 4)

    def test_a_graph_whose_backward_has_run_holds_nothing(self):
        loss = (torch.randn(100, 8) @ self.weight).exp().sum()
        loss.backward()
        self.assertEqual(saved_bytes(loss), 0)

    def test_lists_of_saved_tensors(self):
        index = torch.tensor([0, 1, 1])
        selected = self.weight.exp()[index]
        self.assertEqual(saved_bytes(selected), index.nbytes + self.weight.nbytes)

    def test_custom_function(self):
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return 2 * x

            @staticmethod
            def backward(ctx, grad):
                return 2 * grad
        self.assertEqual(saved_bytes(Double.apply(self.weight)), self.weight.nbytes)

    def test_the_innermost_root_is_named(self):
        state = torch.randn(50, 8) @ self.weight
        for _ in range(3):
            state = torch.tanh(state @ self.weight)
        loss = state.square().mean()
        graphs = Graphs(Deadline(10), False)
        first, second = sorted([loss, state], key=sequence)
        self.assertIs(first, state)
        # the first input, the first product, three tanh results, and the weight
        self.assertEqual(saved_bytes(state, graphs), 5 * 50 * 8 * 4 + 8 * 8 * 4)
        reach = graphs.reach(loss)
        self.assertTrue(reach.shared)
        self.assertEqual(len(reach.saved), 1)    # what the square saved; the rest is the state's

    def test_checkpointed_forward_does_not_run_again(self):
        runs = []

        def block(x):
            runs.append(1)
            return x.exp() * x
        out = checkpoint(block, self.weight, use_reentrant=False).sum()
        Graphs(Deadline(10), False).reach(out)
        self.assertEqual(len(runs), 1)

    def test_offloaded_tensors_are_not_fetched(self):
        fetched = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: ('packed', t.shape), lambda packed: fetched.append(packed)):
            out = self.weight.exp().sum()
        Graphs(Deadline(10), False).reach(out)
        self.assertEqual(fetched, [])


class CompiledTest(unittest.TestCase):
    def test_a_compiled_optimizer_is_counted_and_stays_compiled(self):
        steps = StepCounter(lambda _: None)
        steps.watch_optimizers()
        self.addCleanup(steps.stop)
        net = torch.nn.Linear(4, 4)
        optimizer = torch.optim.AdamW(net.parameters(), lr=torch.tensor(0.01))
        graphs = []
        step = torch.compile(optimizer.step, backend=lambda graph, _: graphs.append(graph) or graph.forward)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter('always')
            for _ in range(20):
                net(torch.ones(2, 4)).sum().backward()
                step()
        self.assertEqual((steps.count, len(graphs)), (20, 1))
        self.assertEqual([str(one.message) for one in warned if 'trace' in str(one.message)], [])


class ModelTest(unittest.TestCase):
    def test_live_bytes_are_those_of_the_live_tensors(self):
        memory = CpuMemory()
        memory.record()
        with memory:
            keep = [torch.zeros(1000, 100) for _ in range(5)]
            for _ in range(20):
                torch.zeros(1000, 100)
            view = keep[0].view(-1)
            del keep[1:3]
        snapshot = memory.snapshot()
        live = [b for s in snapshot['segments'] for b in s['blocks'] if b['state'] == 'active_allocated']
        self.assertEqual([b['requested_size'] for b in live], [400_000] * 3)
        counts = collections.Counter(event['action'] for event in snapshot['device_traces'][0])
        self.assertEqual((counts['alloc'], counts['free_completed']), (25, 22))
        self.assertEqual(sum(b['size'] for b in live), memory.stats()['active_bytes.all.current'])
        self.assertEqual(len(view), 100_000)
        for segment in snapshot['segments']:
            self.assertEqual(sum(b['size'] for b in segment['blocks']), segment['total_size'])
            states = [b['state'] for b in segment['blocks']]
            self.assertNotIn(('inactive', 'inactive'), list(zip(states, states[1:])))

    def test_threads_are_seen_until_the_end(self):
        kept, go_on, size = [], threading.Event(), 4096

        def work():
            for _ in range(200):
                kept.append(torch.zeros(size // 4))
            go_on.wait()
            kept.append(torch.zeros(size))

        plain = threading.Thread._bootstrap_inner
        with CpuMemory() as memory:
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            while len(kept) < 800:
                time.sleep(0.001)
            self.assertEqual(memory.stats()['active_bytes.all.current'], 800 * size)
            del kept[::2]
            self.assertEqual(memory.stats()['active_bytes.all.current'], 400 * size)
        go_on.set()
        for thread in threads:
            thread.join()
        self.assertEqual(memory.stats()['active_bytes.all.current'], 400 * size)
        self.assertIs(threading.Thread._bootstrap_inner, plain)

    def test_the_mark_of_a_snapshot_is_in_the_next(self):
        memory = CpuMemory()
        memory.record()
        with memory:
            keep = torch.zeros(1000)
            first = memory.snapshot()['device_traces'][0]
            second = memory.snapshot()['device_traces'][0]
        self.assertEqual([event['action'] for event in second[len(first):]], ['snapshot'])
        self.assertEqual(second[-1]['size'], 4096)
        self.assertEqual(keep.numel(), 1000)

    def test_backward_has_no_frames(self):
        memory = CpuMemory()
        with memory:
            weight = torch.randn(64, 64, requires_grad=True)
            loss = (torch.randn(8, 64) @ weight).square().mean()
            memory.record()
            loss.backward()
        events = [event for event in memory.snapshot()['device_traces'][0] if event['action'] == 'alloc']
        # the gradient of the loss itself is made before the engine takes over
        self.assertEqual(events[0]['frames'][0]['name'], '_make_grads')
        self.assertEqual([event['frames'] for event in events[1:]], [[]] * 5)

    def test_ring(self):
        memory = CpuMemory()
        memory.record(10)
        with memory:
            for _ in range(50):
                torch.zeros(10)
        self.assertEqual(len(memory.snapshot()['device_traces'][0]), 10)

    def test_capacity(self):
        allocator = CachingAllocator(30 * MIB)
        allocator.malloc(15 * MIB, NO_STACK, lambda *_: None)
        with self.assertRaises(OutOfModelMemory):
            allocator.malloc(15 * MIB, NO_STACK, lambda *_: None)

    def test_empty_segments_are_released_before_a_request_fails(self):
        allocator, seen = CachingAllocator(40 * MIB), []
        see = lambda action, _, size: seen.append((action, size // MIB))
        live = allocator.malloc(4 * MIB, NO_STACK, see)
        segment, block = allocator.malloc(18 * MIB, NO_STACK, see)
        allocator.free(segment, block)
        with self.assertRaises(OutOfModelMemory) as failure:
            allocator.malloc(30 * MIB, NO_STACK, see)
        self.assertEqual((failure.exception.free, allocator.reserved), (20 * MIB, 20 * MIB))
        self.assertIn(live[0], allocator.segments)
        self.assertEqual(seen, [('segment_alloc', 20), ('segment_alloc', 18), ('segment_free', 18)])

    def test_a_program_on_the_cpu_may_hold_more_than_a_gpu_has(self):
        with CpuMemory() as memory:
            kept = [torch.empty(2 ** 34, dtype=torch.uint8) for _ in range(2)]    # its pages are never touched
            self.assertEqual(memory.snapshot()['segments'][0]['allocated_size'], 2 ** 34)
            self.assertEqual(len(kept), 2)

    def test_what_traces_a_model_gives_the_same_model(self):
        model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(1), nn.Linear(4 * 6 * 6, 5))
        two, four = torch.randn(2, 1, 8, 8), torch.randn(4, 1, 8, 8)
        expected, plain = model(four), torch.jit.trace
        batch = torch.export.Dim('batch', min=2)
        with CpuMemory() as memory:
            self.assertTrue(torch.equal(torch.jit.trace(model, two)(four), expected))
            exported = torch.export.export(model, (two,), dynamic_shapes=({0: batch},))
            self.assertTrue(torch.equal(exported.module()(four), expected))
            for options in ({}, {'fullgraph': True}, {'dynamic': True}):
                self.assertTrue(torch.equal(torch.compile(model, **options)(four), expected))
            self.assertTrue(torch.equal(torch.cond(torch.tensor(True), lambda x: x + 1, lambda x: x - 1, (four,)), four + 1))
            self.assertTrue(all(type(segment['address']) is int for segment in memory.snapshot()['segments']))
        self.assertIs(torch.jit.trace, plain)

    def test_tensors_without_memory_have_none(self):
        from torch._subclasses import FakeTensorMode
        with CpuMemory() as memory:
            with FakeTensorMode():
                fake = nn.Linear(4096, 4096)
            self.assertEqual((memory.stats()['active_bytes.all.current'], fake.weight.numel()), (0, 4096 ** 2))


class WalkTest(unittest.TestCase):
    """A walk in the middle of a training loop that keeps one tensor with its graph per step."""

    def train(self, memory, steps):
        weight = torch.randn(64, 64, requires_grad=True)
        total = 0
        for _ in range(steps):
            hidden = torch.tanh(torch.randn(256, 64) @ weight)
            total = total + hidden.square().mean()
        blocks = Blocks(memory.snapshot(), 1, [])
        for block in blocks.all:
            block.allocated = 1
        found = HolderWalk(memory, 2, 20, texts=True).walk(blocks, 10)
        return found, weakref.ref(hidden), weakref.ref(total)

    def test_sparse_tensors_are_their_indices_and_values(self):
        memory = CpuMemory()
        memory.record()
        with memory:
            indices, values = torch.arange(1024).repeat(2, 1), torch.ones(1024)
            before = memory.stats()['requested_bytes.all.current']
            sparse = torch.sparse_coo_tensor(indices, values, (1024, 1024)).coalesce()
            made = memory.stats()['requested_bytes.all.current'] - before
            rows = sparse.to_sparse_csr()
            self.assertGreater(memory.stats()['requested_bytes.all.current'] - before, made)
            del rows, sparse
            gc.collect()
            self.assertEqual(memory.stats()['requested_bytes.all.current'], before)
        self.assertEqual(made, 2 * 1024 * 8 + 1024 * 4)

    def test_a_scalar_that_keeps_megabytes(self):
        memory = CpuMemory()
        memory.record()
        with memory:
            found, _, _ = self.train(memory, 5)
        owner = next(owner for owner in found['owners'] if owner['name'] == 'total')
        # per step the input of the product and the hidden layer; the last step's are still the local `hidden`'s own
        self.assertEqual(owner['graphBytes'], 2 * 4 * 256 * 64 * 4)
        self.assertIn('total = total + hidden', owner['statements'][0]['text'])
        self.assertEqual(found['unowned']['bytes'], 0)

    def owners(self, program, steps=12, unnamed=False):
        """Name, statement and blocks of each owner after some steps of a program, which has a function ``step(number)``."""
        return {(owner['name'], owner['statements'][0]['text'] if owner['statements'] else None, owner['blocks'])
                for owner in self.found(program, steps, unnamed)}

    def found(self, program, steps=12, unnamed=False):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'program.py')
            with open(path, 'w') as file:
                file.write(program)
            memory, main = CpuMemory(), types.ModuleType('program_of_a_test')
            main.__file__ = path
            sys.modules[main.__name__] = main
            memory.record()
            try:
                with memory:
                    exec(compile(program, path, 'exec'), main.__dict__)
                    for number in range(steps):
                        main.step(number)
                    blocks = Blocks(memory.snapshot(), 1, [])
                    for block in blocks.all:
                        block.allocated = 1
                    found = HolderWalk(memory, 2, 60, texts=True).walk(blocks, 10)
            finally:
                del sys.modules[main.__name__]
        return [owner for owner in found['owners'] if owner['text'].startswith('program.py') or unnamed and owner['kind'] == 'cycle']

    def test_an_array_holds_the_tensor_whose_memory_it_shares(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest('there is no numpy')
        self.assertEqual(self.owners('''
import gc
import torch
from torch import nn
slices, by_name, newest = [], {}, None
def step(number):
    global newest
    newest = torch.zeros(10).numpy()
    slices.append(torch.zeros(8, 64).numpy()[:, -1])
    by_name[number] = {'state': torch.zeros(3).numpy(), 'pair': (torch.zeros(5).numpy(), 1)}
    gc.collect()    # ends the tracking of the inner dictionary and the tuple
'''), {('slices', 'slices.append(torch.zeros(8, 64).numpy()[:, -1])', 12),
       # Both tensors of a step, as two owners of one name.
       ('by_name', "by_name[number] = {'state': torch.zeros(3).numpy(), 'pair': (torch.zeros(5).numpy(), 1)}", 12),
       ('newest', 'newest = torch.zeros(10).numpy()', 1)})

    def test_an_attribute_that_the_program_adds_to_a_module_or_to_an_optimizer(self):
        self.assertLessEqual({
            ('net.first.seen', 'net.first.seen.append(torch.zeros(4))', 12),
            ('scene.optimizer.state', "scene.optimizer.state[torch.nn.Parameter(torch.zeros(8))] = {'step': 1}", 12),
        }, self.owners('''
import torch
from torch import nn
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 4)
class Scene:
    def __init__(self):
        self.optimizer = torch.optim.Adam([torch.nn.Parameter(torch.zeros(8))])
net, scene = Net(), Scene()
def step(number):
    if not hasattr(net.first, 'seen'):
        net.first.seen = []
    net.first.seen.append(torch.zeros(4))
    scene.optimizer.state[torch.nn.Parameter(torch.zeros(8))] = {'step': 1}
'''))

    def test_groups_that_the_program_adds_to_an_optimizer_hold_parameters_and_their_state(self):
        add = ('optimizer.param_groups', "optimizer.add_param_group({'params': [weight]})")
        found = self.owners('''
import torch
from torch import nn
optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(8))], lr=.1, momentum=.9)
def step(number):
    weight = torch.nn.Parameter(torch.ones(8))
    optimizer.add_param_group({'params': [weight]})
    (weight * 2).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
''')
        self.assertEqual({(name, text) for name, text, _ in found}, {add})
        self.assertIn((*add, 13), found, 'the parameters, with the first')

    def test_items_of_a_container_are_views_if_most_of_their_tensors_is_not_used(self):
        for stored, expected in (('batch[0]', 'view'), ('batch[0].detach()', 'view'), ('batch[:3]', None), ('batch[0].clone()', None),
                                 ('(batch[:2], batch[2:])', None)):
            with self.subTest(stored):
                found = self.found(f'''
import torch
from torch import nn
kept = []
def step(number):
    batch = torch.zeros(4, 512)
    kept.append({stored})
''')
                self.assertEqual({(owner['name'], (owner['items'] or {}).get('kind')) for owner in found}, {('kept', expected)})

    def test_the_programs_own_calls_of_a_librarys_method(self):
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, 'site-packages', f'torchmetrics_of_{os.path.basename(folder)}')
            os.makedirs(library)
            with open(os.path.join(library, '__init__.py'), 'w') as file:
                file.write('''
class Trainer:
    def __init__(self):
        self.rows, self.history, self.other, self.kept = [], [], [], {}
    def add_row(self, row):
        self.rows.append(row)
    def keep_row(self, key, row):
        if key not in self.kept:
            self.kept[key] = row
    def log(self, row):
        self.history.append(row)
    def note(self, row):
        self.other.append(row)
class Metric:
    pass
class Meter(Metric):
    def __init__(self):
        self.seen = []
    def __call__(self, row):
        self.update(row)
    def update(self, row):
        self.seen.append(row)
''')
            program = f'''
import math, sys, torch
sys.path.insert(0, {os.path.dirname(library)!r})
from {os.path.basename(library)} import Meter, Trainer
class Loop:
    def __init__(self):
        self.meter = Meter()
    def step(self):
        self.meter(torch.zeros(8))
loop = Loop()
class Mine(Trainer):
    def step(self):
        self.log(torch.zeros(8))
        math.log(2)
trainer = Mine()
def step(number):
    trainer.step()
    trainer.add_row(torch.zeros(8))
    trainer.keep_row(number, torch.zeros(8))
    trainer.note(torch.zeros(8))
    loop.step()
'''
            found = self.owners(program)
            described = self.found(program)
            releases = [(owner['name'], release['kind']) for owner in described for release in owner['releases']]
            self.assertEqual([owner['name'] for owner in described if (owner['items'] or {}).get('kind') == 'metric'], ['loop.meter.seen'])
        self.assertEqual(releases, [('Mine.kept', 'memo')], 'a key is tested where the library fills it')
        # A word such as `log` may be the name of anything, except in a class of the library; Python 3.11 tells which one.
        log = 'self.log(torch.zeros(8))' if sys.version_info >= (3, 11) else 'self.history.append(row)'
        self.assertEqual(found, {('Mine.rows', 'trainer.add_row(torch.zeros(8))', 12), ('Mine.history', log, 12),
                                 ('Mine.kept', 'trainer.keep_row(number, torch.zeros(8))', 12),
                                 ('Mine.other', 'trainer.note(torch.zeros(8))', 12),
                                 ('loop.meter.seen', 'self.meter(torch.zeros(8))', 12)})

    def test_a_hook_that_a_library_has_for_its_modules(self):
        self.assertEqual(self.owners('''
import torch
from torch import nn
class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self._message_hooks = {}
    def register_message_hook(self, hook):
        self._message_hooks[len(self._message_hooks)] = hook
layer = Layer()
def step(number):
    batch = torch.zeros(8)
    layer.register_message_hook(lambda message: message - batch)
'''), {('Layer._message_hooks', 'layer.register_message_hook(lambda message: message - batch)', 12)})

    def test_state_for_parameters_that_an_optimizer_no_longer_updates(self):
        weights = [torch.nn.Parameter(torch.ones(8)) for _ in range(3)]
        optimizer, rows = torch.optim.SGD(weights, lr=.1, momentum=.9), {'row': weights[0]}
        for _ in range(2):
            sum(weight.sum() for weight in weights).backward()
            optimizer.step()
            weights[2] = optimizer.param_groups[0]['params'][2] = torch.nn.Parameter(torch.ones(9))
        heap = Heap()
        heap.read(Deadline(60))
        try:
            self.assertEqual([stale_keys(id(one), heap) for one in (optimizer.state, rows, weights)], [2, None, None])
        finally:
            heap.close()

    def test_a_result_that_its_own_graph_saves(self):
        kept = {('kept', 'kept.append(torch.zeros(3))', 12)}
        for packed, expected in (('x', {*kept, ('cycle Tensor.grad_fn.saved_tensors', 'with saved_tensors_hooks(lambda x: x, lambda x: x):', 24)}),
                                 ('x.detach()', kept)):
            self.assertEqual(self.owners(f'''
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
kept = []
def step(number):
    kept.append(torch.zeros(3))
    with saved_tensors_hooks(lambda x: {packed}, lambda x: x):
        torch.relu(torch.zeros(100, requires_grad=True))
''', unnamed=True), expected)

    def test_many_parts_of_the_items_of_a_list_are_one_owner(self):
        for parts, expected in ((9, {('kept', 'kept.append(Parts())', 12 * 9)}), (2, {('kept', 'kept.append(Parts())', 12)})):
            self.assertEqual(self.owners(f'''
import torch
from torch import nn
kept = []
class Parts:
    def __init__(self):
        for name in 'abcdefghi'[:{parts}]:
            setattr(self, name, torch.zeros(4))
def step(number):
    kept.append(Parts())
'''), expected)

    def test_an_attribute_that_leads_back_to_its_tensor(self):
        for value, end in (('query[...]', 'the tensor that it is a view of'), ('0.1 * (query * query)', 'its graph')):
            found = self.owners(f'''
import torch
from torch import nn
def step(number):
    query = torch.randn(1024, requires_grad={end == 'its graph'}) * 2
    query.update = {value}
''', unnamed=True)
            self.assertEqual({named[:2] for named in found}, {(f'cycle Tensor.update → {end}', f'query.update = {value}')})

    def test_lists_of_modules_and_parameters_that_grow(self):
        self.assertEqual(self.owners('''
import torch
from torch import nn
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = torch.nn.ModuleList()
        self.scales = torch.nn.ParameterList()
    def grow(self):
        self.heads.append(torch.nn.Linear(30, 30, bias=False))
        self.scales.append(torch.nn.Parameter(torch.zeros(600)))
net = Net()
def step(number):
    net.grow()
'''), {('Net.heads', 'self.heads.append(torch.nn.Linear(30, 30, bias=False))', 12), ('Net.scales', 'self.scales.append(torch.nn.Parameter(torch.zeros(600)))', 12)})

    def test_tuple_that_is_made_again_with_one_more_item(self):
        self.assertEqual(self.owners('''
import dataclasses, torch
@dataclasses.dataclass(frozen=True)
class State:
    errors: tuple = ()
state = State()
def step(number):
    global state
    state = dataclasses.replace(state, errors=state.errors + (torch.zeros(100),))
'''), {('State.errors', None, 12)})

    def test_dictionaries_of_modules_that_grow(self):
        self.assertEqual(self.owners('''
import torch
from torch import nn
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.adapters = torch.nn.ModuleDict()
    def grow(self, name):
        self.adapters[name] = torch.nn.Linear(30, 30, bias=False)
net = Net()
def step(number):
    net.grow(f'task{number}')
'''), {('Net.adapters', 'self.adapters[name] = torch.nn.Linear(30, 30, bias=False)', 12)})

    def test_what_a_module_in_a_list_keeps_is_held_by_the_module(self):
        self.assertEqual(self.owners('''
import torch
from torch import nn
class Layer(torch.nn.Module):
    def forward(self, x):
        self.cache = x + 1
        return x
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([Layer() for _ in range(2)])
net = Net()
def step(number):
    for layer in net.layers:
        layer(torch.zeros(100))
'''), {('Layer.cache', 'self.cache = x + 1', 1)})

    def test_names_with_numbers_are_one_owner(self):
        self.assertEqual(self.owners('''
import torch
from torch import nn
class Net(torch.nn.Module):
    def remember(self, number, value):
        self.register_buffer(f'seen_{number}', value)
        setattr(self, 'state_%d' % number, value + 1)
class Plain:
    def keep(self, number, value):
        setattr(self, 'slot' + str(number), value)
net, plain = Net(), Plain()
plain.first1, plain.first2 = torch.zeros(10), torch.zeros(10)
def step(number):
    net.remember(number, torch.zeros(100))
    plain.keep(number, torch.zeros(100))
'''), {('Net.seen_*', "self.register_buffer(f'seen_{number}', value)", 12), ('Net.state_*', "setattr(self, 'state_%d' % number, value + 1)", 12), ('Plain.slot*', "setattr(self, 'slot' + str(number), value)", 12),
       *((f'Plain.first{number}', 'plain.first1, plain.first2 = torch.zeros(10), torch.zeros(10)', 1) for number in (1, 2))})

    def test_registries_generators_and_methods_of_a_base(self):
        self.assertEqual(self.owners('''
import torch
from torch import nn
class Bank:
    made = []
    def __init__(self):
        self.rows = torch.zeros(100)
        Bank.made.append(self)
class Base:
    def __init__(self):
        self.items = []
    def add(self, item):
        self.items.append(item)
class Sub(Base):
    def add(self, item):
        super().add(item)
def stream():
    seen = []
    while True:
        seen.append((yield))
sub, running = Sub(), stream()
next(running)
def step(number):
    Bank()
    sub.add(torch.zeros(100))
    running.send(torch.zeros(100))
'''), {('Bank.made', 'Bank.made.append(self)', 12), ('Sub.items', 'self.items.append(item)', 12), ('seen', 'seen.append((yield))', 12)})

    def test_an_input_that_only_the_graph_of_a_kept_loss_reaches(self):
        memory = CpuMemory()
        memory.record()
        with memory:
            kept = []
            for _ in range(4):
                batch = torch.randn(256, 64, requires_grad=True)
                kept.append(batch.square().mean())
                kept[-1].backward()
            del batch
            blocks = Blocks(memory.snapshot(), 1, [])
            for block in blocks.all:
                block.allocated = 1
            found = HolderWalk(memory, 2, 20, texts=True).walk(blocks, 10)
        owner = next(owner for owner in found['owners'] if owner['name'] == 'kept')
        # the graph is freed, but it still knows the inputs, and they their gradients
        self.assertEqual((owner['graphBytes'], owner['savedBy']), (2 * 4 * 256 * 64 * 4, ['AccumulateGrad']))
        self.assertEqual(found['unowned']['bytes'], 0)

    def test_the_gradient_of_a_parameter_is_not_that_of_a_kept_loss(self):
        memory = CpuMemory()
        memory.record()
        with memory:
            net, kept = torch.nn.Linear(64, 64), []
            for _ in range(4):
                kept.append(net(torch.ones(8, 64)).mean())
                kept[-1].backward()
            blocks = Blocks(memory.snapshot(), 1, [])
            for block in blocks.all:
                block.allocated = 1
            found = HolderWalk(memory, 2, 20, texts=True).walk(blocks, 10)
        owners = {owner['name']: owner for owner in found['owners']}
        self.assertEqual([owner['savedBy'] for name, owner in owners.items() if name == 'kept'], [[]])
        self.assertEqual(owners['kept']['bytes'], 4 * 512)
        gradients = [owner['bytes'] for owner in found['owners'] if owner['text'].endswith('.grad')]
        self.assertEqual(sum(gradients), 64 * 64 * 4 + 512)

    def test_nothing_stays_behind(self):
        memory = CpuMemory()
        memory.record()
        gc.collect()
        gc.disable()
        try:
            with memory:
                _, hidden, total = self.train(memory, 3)
            self.assertIsNone(hidden())
            self.assertIsNone(total())
            self.assertEqual(memory.stats()['active_bytes.all.current'], 0)
        finally:
            gc.enable()


class SnapshotTest(unittest.TestCase):
    PROGRAM = '''
import sys
import threading
import torch
from torch import nn
from leakline_recorder.memory import without_inductor

with without_inductor():
    traceback = torch._C._profiler.gather_traceback(True, False, False)
    assert torch._C._profiler.symbolize_tracebacks([traceback])[0][0]['name'] == '<module>'
    assert 'torch._inductor' not in sys.modules
    others = threading.Thread(target=lambda: torch._inductor)
    others.start()
    others.join()
    assert 'torch._inductor' in sys.modules
with without_inductor():
    torch._inductor
assert type(torch._lazy_modules) is set
'''

    def test_asks_no_tensor_of_a_tracing_for_its_address(self):
        from leakline_recorder.memory import CudaMemory
        from torch._subclasses.fake_tensor import FakeTensorMode
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            with FakeTensorMode():
                self.assertIsNone(CudaMemory().address(torch.empty(4)))
            kept = torch.empty(4)
            self.assertEqual(CudaMemory().address(kept), kept.data_ptr())

    def test_imports_no_compiler(self):
        done = subprocess.run([sys.executable, '-c', self.PROGRAM], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ''))


class SpawnedTest(unittest.TestCase):
    """Real processes and a real process group. What a program's first use of CUDA would call is called by the program."""

    PROGRAM = '''
import os, sys, torch, torch.distributed, torch.multiprocessing
from torch.utils.data import DataLoader, Dataset
import leakline_recorder.memory
from leakline_recorder.cpu_memory import CpuMemory
memory = CpuMemory()
leakline_recorder.memory.CudaMemory = lambda: memory

class Numbers(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        waiting = [call for call, *_ in torch.cuda._queued_calls if call.__module__.startswith('leakline_recorder')]
        return index, len(waiting), int('leakline_recorder.session' in sys.modules)

def train(rank, port):
    os.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT=port)
    torch.distributed.init_process_group('gloo', rank=rank, world_size=2)
    for call, *_ in torch.cuda._queued_calls:
        if call.__module__.startswith('leakline_recorder'):
            call()
    with memory:
        net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64))
        optimizer, kept = torch.optim.SGD(net.parameters(), lr=0.1), []
        for _ in range(6):
            loss = net(torch.randn(256, 64)).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            kept.append(loss)
    torch.distributed.destroy_process_group()

if __name__ == '__main__':
    for method in ('spawn', 'forkserver'):
        loader = DataLoader(Numbers(), batch_size=4, num_workers=1, multiprocessing_context=method)
        print([batch.tolist() for batch in next(iter(loader))])
    import socket
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = str(free.getsockname()[1])
    torch.multiprocessing.spawn(train, (port,), 2)
'''

    def test_ranks_record_themselves_and_data_loaders_do_not(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'train.py'), 'w') as file:
                file.write(self.PROGRAM)
            done = subprocess.run([sys.executable, '-m', 'leakline_recorder', '--run', 'r', '--every', '3', '--start', '0', '--light', '0', 'train.py'], cwd=folder,
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, 2 * '[[0, 1, 2, 3], [1, 1, 1, 1], [0, 0, 0, 0]]\n'), done.stderr)
            out = os.path.join(folder, 'leakline-recordings')
            self.assertEqual(sorted(os.listdir(out)), ['.gitignore', 'r-spawned'], done.stderr)
            self.assertEqual(sorted(os.path.basename(path) for path in glob.glob(os.path.join(out, 'r-spawned', '**', '*.pickle'), recursive=True)),
                             [f'rank{rank}_step00000{step}.pickle' for rank in (0, 1) for step in (3, 6)])
            with open(os.path.join(out, 'r-spawned', 'rank1', 'rank1_step000006.leakline.json'), encoding='utf-8') as file:
                side = json.load(file)
            self.assertEqual((side['rank'], side['worldSize'], side['stepSource']), (1, 2, 'optimizer'))
            self.assertIn('kept', [owner['name'] for owner in side['holders']['owners']])


class PlantedTest(unittest.TestCase):
    """Record now, with this interpreter and this recorder, and check bytes, verdicts and holders."""

    NAMES = ['running_total', 'hook_outputs', 'failed_batches', 'hidden_state', 'ctx_output', 'fast_weights', 'two_ranks', 'out_of_memory', 'ema_copy']

    def test_recorded_now(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, os.path.join(PLANTED, 'record.py'), '--on', 'cpu', '--root', os.path.join(folder, 'planted'),
                                   os.path.join(folder, 'out'), *self.NAMES], capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            checked = subprocess.run([sys.executable, os.path.join(PLANTED, 'check.py'), os.path.join(folder, 'out'), *self.NAMES],
                                     capture_output=True, text=True)
            trouble = [line for line in checked.stdout.splitlines() if line.startswith('WRONG') and ' path ' not in line]
            self.assertEqual(trouble, [], checked.stdout)
            self.assertIn('holder named right: 8 of 8', checked.stdout)

    def test_committed_recordings(self):
        checked = subprocess.run([sys.executable, os.path.join(PLANTED, 'check.py'), os.path.join(PLANTED, 'recordings')],
                                 capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout[-3000:])

    def test_the_last_snapshot_before_it_ran_out(self):
        folder = os.path.join(PLANTED, 'recordings', 'out_of_memory')
        name = next(name for name in os.listdir(folder) if name.endswith('_oom.pickle.gz'))
        with gzip.open(os.path.join(folder, name)) as file:
            trace = pickle.load(file)['device_traces'][0]
        self.assertEqual(trace[-1]['action'], 'oom')
        with open(os.path.join(folder, name[:-len('.pickle.gz')] + '.leakline.json'), encoding='utf-8') as file:
            side = json.load(file)
        self.assertEqual((side['reason'], side['devices'][0]['capacityBytes']), ('oom', 11 * MIB))


if __name__ == '__main__':
    unittest.main()
