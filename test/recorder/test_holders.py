"""Owner chains over the stand-in's tensors: each way in which Python code keeps one."""
from __future__ import annotations

import asyncio
import collections
import contextlib
import contextvars
import functools
import gc
import glob
import linecache
import os
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
import weakref

import torch
from leakline_recorder.holders import Blocks, HolderWalk
from leakline_recorder.holders.chains import Chain
from leakline_recorder.holders.deadline import Deadline
from leakline_recorder.holders.groups import name_of
from leakline_recorder.holders.links import Link, Places
from leakline_recorder.holders.passing import Passing
from leakline_recorder.holders.roots import Root
from leakline_recorder.holders.statements import Holder, Statements
from leakline_recorder.memory import CudaMemory
from leakline_recorder.monitoring import Monitoring

MIB = 1 << 20
KEPT_GLOBALLY = []
CURRENT = contextvars.ContextVar('current')
ENTERED = contextvars.ContextVar('entered', default=())


class Visualiser:
    shared = []

    def __init__(self):
        self.visited = []

    def keep(self, tensor):
        self.visited.append(tensor)


class Slotted:
    __slots__ = ('held',)


class Pair:
    def __init__(self):
        self.tensor = torch.Tensor(MIB)
        self.other = None


@functools.lru_cache(maxsize=None)
def cached_table(length):
    return torch.Tensor(MIB + length)


def walk(seconds=10.0):
    """As at step 10: everything of the toy allocator is old and allocated after the first step."""
    snapshot = torch.cuda.allocator.snapshot(True)
    blocks = Blocks(snapshot, 1, [])
    for block in blocks.all:
        block.allocated = 1
    return walk_over(blocks, seconds)


def walk_over(blocks, seconds=10.0):
    monitoring = Monitoring()
    try:
        return HolderWalk(CudaMemory(), 2, seconds, monitoring, texts=True).walk(blocks, 10)
    finally:
        monitoring.stop()    # the interpreter has few places, and other tests need them


def owner_of(found, tensor):
    return next((owner for owner in found['owners'] if tensor.data_ptr() in owner['addresses']), None)


class ChainsTest(unittest.TestCase):
    def setUp(self):
        gc.collect()
        torch.cuda.allocator.blocks.clear()

    def test_attribute_of_a_local(self):
        eyes = Visualiser()
        for _ in range(3):
            eyes.keep(torch.Tensor(MIB))
        found = walk()
        owner = owner_of(found, eyes.visited[0])
        self.assertEqual((owner['kind'], owner['name'], owner['blocks'], owner['bytes']), ('attribute', 'Visualiser.visited', 3, 3 * MIB))
        self.assertEqual(owner['expression'], 'test_holders.py: test_attribute_of_a_local() local eyes.visited')
        self.assertEqual(owner['container'], {'type': 'list', 'length': 3})
        self.assertEqual(owner['statements'][0]['text'], 'self.visited.append(tensor)')
        self.assertEqual(os.path.basename(owner['file']), 'test_holders.py')
        self.assertTrue(found['complete'])

    def test_most_items_of_a_container(self):
        recent, endless = collections.deque(maxlen=5), collections.deque()
        for queue in (recent, endless):
            queue.extend([torch.Tensor(MIB), torch.Tensor(MIB)])

        @functools.lru_cache(maxsize=7)
        def bounded(length):
            return torch.Tensor(MIB * length)

        bounded(1), bounded(2)
        found = walk()
        self.assertEqual(owner_of(found, recent[0])['container'], {'type': 'deque', 'length': 2, 'maxlen': 5})
        self.assertEqual(owner_of(found, endless[0])['container'], {'type': 'deque', 'length': 2})
        self.assertEqual(owner_of(found, bounded(1))['container'], {'type': 'cache', 'length': 2, 'maxlen': 7})

    def test_a_dictionary_whose_keys_are_not_shown(self):
        sessions = {f'user {number}': {'layers': [torch.Tensor(4096), torch.Tensor(4096)]} for number in range(6)}
        owners = [owner for owner in walk()['owners'] if 'sessions' in owner['text']]
        self.assertEqual([(owner['container'], owner['blocks']) for owner in owners], [({'type': 'dict', 'length': len(sessions)}, 12)])

    def test_what_a_container_has_as_items(self):
        def counting():
            seen = torch.Tensor(MIB)
            return lambda: seen
        pairs = [(0, Pair()), (1, Pair())]
        methods = [Visualiser().keep, Visualiser().keep]
        for method in methods:
            method(torch.Tensor(MIB))
        del method
        functions = [counting(), counting()]
        tensors = [(torch.Tensor(MIB), 0), (torch.Tensor(MIB), 1)]
        stack = contextlib.ExitStack()
        for _ in range(2):
            stack.callback(Pair, torch.Tensor(MIB))

        async def answer():
            return {'alpha': torch.Tensor(MIB)}

        async def answers():
            return [await asyncio.wait({asyncio.ensure_future(answer())}) for _ in range(2)]
        tasks = set().union(*(done for done, _ in asyncio.run(answers())))
        found = walk()
        told = {name: next(owner['items'] for owner in found['owners'] if f'local {name}{way}' in owner['text'])
                for name, way in (('pairs', '['), ('methods', '['), ('functions', '['), ('tensors', '['), ('stack', '._exit'), ('tasks', '{'))}
        self.assertEqual(told, {'pairs': {'kind': 'object', 'type': 'Pair'}, 'methods': {'kind': 'method', 'type': 'Visualiser'},
                                'functions': {'kind': 'function', 'type': None}, 'tensors': None,
                                'stack': {'kind': 'exit', 'type': None}, 'tasks': {'kind': 'object', 'type': 'Task'}})
        self.assertEqual(len(tasks), 2)

    def test_key_of_a_dictionary(self):
        history = {'main': [], 'aux': []}
        history['aux'].append(torch.Tensor(MIB))
        history['aux'].append(torch.Tensor(MIB))
        owner = owner_of(walk(), history['aux'][0])
        self.assertEqual(owner['name'], "history['aux']")
        self.assertIn("history['aux'].append", owner['statements'][0]['text'])
        self.assertEqual(owner['blocks'], 2)

    def test_global(self):
        KEPT_GLOBALLY.append(torch.Tensor(MIB))
        self.addCleanup(KEPT_GLOBALLY.clear)
        self.assertIn('global KEPT_GLOBALLY[0]', owner_of(walk(), KEPT_GLOBALLY[0])['text'])

    def test_a_librarys_object_that_a_method_holds_as_its_own(self):
        source = '/env/site-packages/meters.py'
        links = (Link('attribute', '.meter', '.meter', 'meter', 'Loop', __file__), Link('attribute', '.seen', '.seen', 'seen', 'Meter', source))
        chain = Chain(Root('local', 'self', __file__, 'run', 1, True), links)
        self.assertEqual(name_of(chain, Holder('attribute', 'seen', 'Meter', source, None, True), None), 'Loop.meter.seen')

    def test_class_attribute(self):
        Visualiser.shared.append(torch.Tensor(MIB))
        self.addCleanup(Visualiser.shared.clear)
        self.assertEqual(owner_of(walk(), Visualiser.shared[0])['name'], 'Visualiser.shared')

    def test_slots_deque_and_tuple(self):
        queue = collections.deque()
        slotted = Slotted()
        slotted.held = torch.Tensor(MIB)
        queue.append((1, slotted))
        self.assertTrue(owner_of(walk(), slotted.held)['text'].endswith(' local slotted.held') or
                        'queue[0][1].held' in owner_of(walk(), slotted.held)['text'])

    def test_closure(self):
        def make():
            tensor = torch.Tensor(MIB)
            address.append(tensor.data_ptr())
            return lambda: tensor
        address = []
        hook = make()
        owner = next(owner for owner in walk()['owners'] if address[0] in owner['addresses'])
        self.assertEqual(owner['kind'], 'closure')
        self.assertTrue(owner['text'].endswith('<lambda>() closure tensor'), owner['text'])
        del hook

    def test_closure_of_several_variables_behind_a_decorator(self):
        def traced(function):
            every, results = 1, []

            @functools.wraps(function)
            def wrapper(size):
                results.append(function(size))
                return every
            wrapper.__name__ = f'{function} at {id(function)}'
            return wrapper

        traced_tensor = traced(torch.Tensor)
        for _ in range(3):
            traced_tensor(MIB)
        owner, = walk()['owners']
        self.assertEqual((owner['name'], owner['blocks']), ('results', 3))
        self.assertEqual(owner['statements'][0]['text'], 'results.append(function(size))')
        self.assertIn(' → wrapper() closure results', owner['text'])

    def test_a_context_variable_that_each_call_sets(self):
        def enter(tensor):
            ENTERED.set((*ENTERED.get(), tensor))
        context = contextvars.copy_context()
        for _ in range(12):
            context.run(enter, torch.Tensor(MIB))
        found = [owner['statements'][0]['text'] for owner in walk()['owners'] if owner['name'] == 'ENTERED']
        self.assertEqual(found, ['ENTERED.set((*ENTERED.get(), tensor))'])

    def test_default_argument_that_grows(self):
        def collect(tensor, limit=3, rows=[]):
            rows.append(tensor)

        def mixed(tensor, rows=[], others={}):
            rows.append(tensor)

        def keyword(tensor, *, rows=[]):
            rows.append(tensor)
        addresses = []
        for function in (collect, mixed, keyword):
            tensor = torch.Tensor(MIB)
            addresses.append(tensor.data_ptr())
            function(tensor)
        del tensor
        owners = walk()['owners']
        one, two, three = (next(owner for owner in owners if address in owner['addresses']) for address in addresses)
        self.assertEqual((one['kind'], one['name']), ('default', 'rows'))
        self.assertNotEqual(two['kind'], 'default')
        self.assertEqual(three['kind'], 'default')

    def test_generator(self):
        def stream():
            held = torch.Tensor(MIB)
            yield held.data_ptr()
            yield held
        running = stream()
        address = next(running)
        owner = next(owner for owner in walk()['owners'] if address in owner['addresses'])
        self.assertRegex(owner['text'], r'local running → (generator|frame) stream \(test_holders.py:\d+\) local held')

    def test_cache_of_a_function(self):
        cached_table(1)
        cached_table(2)
        self.addCleanup(cached_table.cache_clear)
        owner = owner_of(walk(), cached_table(1))
        self.assertEqual((owner['kind'], owner['name'], owner['blocks']), ('cached', 'cache of cached_table()', 2))
        self.assertIn('lru_cache', owner['statements'][0]['text'])

    def test_traceback_of_a_kept_exception(self):
        def fail():
            activation = torch.Tensor(MIB)
            raise ValueError(activation.data_ptr())
        errors = []
        try:
            fail()
        except ValueError as error:
            errors.append(error)
        owner = next(owner for owner in walk()['owners'] if errors[0].args[0] in owner['addresses'])
        self.assertEqual((owner['kind'], owner['name']), ('traceback', 'errors'))
        self.assertIn('local activation', owner['text'])
        self.assertIn('errors.append(error)', owner['statements'][0]['text'])
        errors.clear()

    def test_exception_in_its_handler(self):
        def fail():
            activation = torch.Tensor(MIB)
            raise ValueError(activation.data_ptr())
        address = found = None
        try:
            fail()
        except ValueError:
            address = sys.exc_info()[1].args[0]
            found = walk()
        owner = next(owner for owner in found['owners'] if address in owner['addresses'])
        self.assertEqual(owner['name'], 'ValueError being handled in test_exception_in_its_handler()')
        self.assertEqual(owner['statements'][0]['text'], 'except ValueError:')

    def test_a_linked_list_in_a_context_variable(self):
        def grow():
            for _ in range(60):
                pair = Pair()
                pair.other = CURRENT.get(None)
                CURRENT.set(pair)

        context = contextvars.copy_context()
        self.addCleanup(context.run, CURRENT.set, None)
        context.run(grow)
        blocks = Blocks(torch.cuda.allocator.snapshot(True), 1, [])
        for block in blocks.all:
            block.allocated, block.allocated_us = 1, block.address
        owners = context.run(walk_over, blocks)['owners']
        self.assertEqual(sorted(owner['blocks'] for owner in owners), [1, 59])
        self.assertEqual([(owner['kind'], owner['name']) for owner in sorted(owners, key=lambda owner: owner['blocks'])],
                         [('attribute', 'Pair.tensor'), ('linked', 'Pair.other')])
        self.assertEqual([owner['expression'] for owner in sorted(owners, key=lambda owner: owner['blocks'])],
                         ['test_holders.py: global CURRENT.tensor', 'test_holders.py: global CURRENT.other.tensor'])

    def test_a_linked_list_of_objects_with_a_container_each(self):
        node = Pair()
        for _ in range(8):
            inner = Pair()
            inner.other, node.rows = node, [torch.Tensor(512) for _ in range(4)]
            node = inner
        found = {(owner['kind'], owner['name']) for owner in walk()['owners'] if owner['blocks'] > 4}
        self.assertEqual(found, {('linked', 'Pair.other')})

    def test_reference_cycle(self):
        gc.disable()    # an automatic collection before the walk would release the cycle
        self.addCleanup(gc.enable)
        a, b = Pair(), Pair()
        a.other, b.other = b, a
        addresses = {a.tensor.data_ptr(), b.tensor.data_ptr()}
        del a, b
        owner = next(owner for owner in walk()['owners'] if addresses & set(owner['addresses']))
        self.assertEqual((owner['kind'], set(owner['addresses'])), ('cycle', addresses))
        self.assertIn('Pair.other', owner['name'])
        self.assertEqual(owner['statements'][0]['text'], 'a.other, b.other = b, a')
        gc.collect()

    def test_a_walk_does_not_collect(self):
        gc.disable()
        self.addCleanup(gc.enable)
        a = Pair()
        a.other = a
        gone = weakref.ref(a)
        del a
        walk()
        self.assertIsNotNone(gone())
        gc.collect()
        self.assertIsNone(gone())

    def test_a_walk_keeps_nothing(self):
        gc.disable()      # even a cycle of the walk's own would show
        self.addCleanup(gc.enable)

        def step():
            batch, kept = torch.Tensor(MIB), Pair()
            walk()
            return weakref.ref(batch), weakref.ref(kept), kept
        batch, kept, strong = step()
        self.assertIsNone(batch())
        del strong
        self.assertIsNone(kept())

    def test_locals_of_a_running_function_are_released(self):
        def train():
            activation = torch.Tensor(MIB)
            gone = weakref.ref(activation)
            walk()
            del activation
            return gone()
        self.assertIsNone(train())

    def test_parameters_from_the_first_step_are_not_asked_about(self):
        module = torch.nn.Module()
        module._parameters['weight'] = torch.Tensor(MIB)
        extra = torch.Tensor(MIB)
        snapshot = torch.cuda.allocator.snapshot(True)
        blocks = Blocks(snapshot, 1, [])
        for block in blocks.all:
            block.allocated = 0 if block.address == module._parameters['weight'].data_ptr() else 1
        found = walk_over(blocks)
        self.assertEqual((found['categories'], found['askedBytes']), ({'parameter': MIB}, MIB))
        self.assertEqual(owner_of(found, extra)['name'], 'extra')

    def test_objects_that_answer_for_themselves_are_not_asked(self):
        asked = []

        def refuse(*_):
            asked.append(_)
            raise RuntimeError('asked')

        class Refusing:
            __getattribute__ = __getattr__ = __eq__ = __len__ = __bool__ = __repr__ = refuse
            __hash__ = None

        class Proxy:
            __class__ = property(refuse)

        class Endless(list):
            def __iter__(self):
                while True:
                    yield refuse()

        class Strange(type):
            __eq__ = __getattr__ = refuse
            __hash__ = None

        class OfStrange(metaclass=Strange):
            pass

        class Table(dict):
            items = keys = __len__ = __getitem__ = __iter__ = refuse

        class Lazy(types.ModuleType):
            __getattr__ = refuse

        sys.modules['lazy_module_of_a_test'], sys.modules['no_module_of_a_test'] = Lazy('lazy'), Refusing()
        self.addCleanup(sys.modules.pop, 'lazy_module_of_a_test')
        self.addCleanup(sys.modules.pop, 'no_module_of_a_test')
        refusing, proxy, strange, endless, table = Refusing(), Proxy(), OfStrange(), Endless(), Table()
        tensors = [torch.Tensor(MIB) for _ in range(5)]
        for holder, tensor in zip((refusing, proxy, strange), tensors):
            object.__getattribute__(holder, '__dict__')['held'] = tensor
        list.append(endless, tensors[3])
        dict.__setitem__(table, 'key', tensors[4])
        addresses = [tensor.data_ptr() for tensor in tensors]
        del holder, tensor, tensors
        found = walk()
        names = [next(owner['text'] for owner in found['owners'] if address in owner['addresses']).rsplit(' ', 1)[-1] for address in addresses]
        self.assertEqual(names, ['refusing.held', 'proxy.held', 'strange.held', 'endless[0]', "table['key']"])
        self.assertEqual((asked, found['complete']), ([], True))

    def test_places_are_those_of_a_search(self):
        values = [[] for _ in range(50)]
        items = [values[(7 * index) % 53 % 50] for index in range(300)]
        table = {(index, id(item)): item for index, item in enumerate(items)}
        table[None] = alone = []
        for sequence in (items, tuple(items), collections.deque(items)):
            places = Places()
            for value in (*values, alone):
                self.assertEqual(places.index(sequence, value), next((index for index, item in enumerate(items) if item is value), None))
        places = Places()
        for value in (*values, alone):
            self.assertEqual(places.key(table, value), next(((key,) for key, held in table.items() if held is value), None))
        parts = [object() for _ in range(3)]
        keyed = {parts[0]: 1, (2, parts[1]): 3}
        self.assertEqual([places.is_key(keyed, part) for part in parts], [True, True, False])

    def test_bounded_in_time(self):
        keep = [torch.Tensor(512) for _ in range(50)]
        self.assertFalse(walk(seconds=0.0)['complete'])
        self.assertEqual(len(keep), 50)

    def test_searches_of_an_asyncio_program_end(self):
        text = '''if True:
            import asyncio
            from leakline_recorder.holders.deadline import Deadline
            from leakline_recorder.holders.heap import Heap

            async def main():
                for _ in range(3):
                    tasks = [asyncio.create_task(asyncio.sleep(0.001)) for _ in range(3)]
                    await asyncio.sleep(0.005)
                    heap = Heap()
                    heap.read(Deadline(10.0))
                    heap.close()

            asyncio.run(main())
        '''
        for python in sorted(glob.glob(os.path.expanduser('~/.pyenv/versions/3.1*/bin/python'))) or [sys.executable]:
            with self.subTest(python):
                done = subprocess.run([python, '-c', text], timeout=60)
                self.assertEqual(done.returncode, 0)

    def test_nothing_old_costs_nothing(self):
        keep = torch.Tensor(MIB)
        blocks = Blocks(torch.cuda.allocator.snapshot(True), 1, [])
        for block in blocks.all:
            block.allocated = 10
        self.assertIsNone(walk_over(blocks))
        self.assertIsNotNone(keep)

    def test_a_tensor_that_each_step_replaces_by_a_longer_one(self):
        found = []
        monitoring = Monitoring()
        search = HolderWalk(CudaMemory(), 2, 10.0, monitoring, texts=True)
        for step in range(10, 17):
            scores = torch.Tensor((step - 9) * MIB)
            loss = torch.Tensor(MIB * (2 if step == 13 else 1))
            blocks = Blocks(torch.cuda.allocator.snapshot(True), 1, [])
            for block in blocks.all:
                block.allocated = step
            found.append(search.walk(blocks, step))
        monitoring.stop()
        self.assertIsNotNone((scores, loss))
        self.assertEqual(found[:4], [None] * 4, 'a search over what rose less often')
        self.assertEqual([[(owner['name'], owner['bytes']) for owner in one['owners']] for one in found[4:]],
                         [[('scores', size * MIB)] for size in (5, 6, 7)])

    def test_hooks_that_grow_in_number_rather_than_what_each_fills(self):
        names = {}
        for adds_hooks in (True, False):
            module = torch.nn.Module()
            module._forward_hooks = collections.OrderedDict()
            monitoring = Monitoring()
            search = HolderWalk(CudaMemory(), 2, 10.0, monitoring, texts=True)
            for step in (10, 14, 18):
                if adds_hooks or step == 10:
                    module._forward_hooks[step] = Visualiser().keep
                activation = torch.Tensor(MIB)
                for hook in module._forward_hooks.values():
                    hook(activation)
                del activation, hook
                blocks = Blocks(torch.cuda.allocator.snapshot(True), 1, [])
                for block in blocks.all:
                    block.allocated = 1
                found = search.walk(blocks, step)
            monitoring.stop()
            names[adds_hooks] = [(owner['name'], owner['items']) for owner in found['owners']]
            torch.cuda.allocator.blocks.clear()
        self.assertEqual(names, {True: [('Module._forward_hooks', {'kind': 'hook', 'type': None})], False: [('Visualiser.visited', None)]})


class BlocksTest(unittest.TestCase):
    def snapshot(self):
        frame = {'name': 'f', 'filename': '/home/me/train.py', 'line': 3}
        library = {'name': 'g', 'filename': '/x/site-packages/torch/y.py', 'line': 1}
        return {'segments': [{'blocks': [
            {'address': 1000, 'size': 512, 'requested_size': 500, 'state': 'active_allocated', 'frames': [library, frame]},
            {'address': 1512, 'size': 488, 'requested_size': 9, 'state': 'inactive', 'frames': []},
            {'address': 2000, 'size': 512, 'requested_size': 512, 'state': 'active_allocated', 'frames': []}]}],
            'device_traces': [[{'action': 'alloc', 'addr': 1000, 'time_us': 5}, {'action': 'free_completed', 'addr': 1000, 'time_us': 6},
                               {'action': 'alloc', 'addr': 1000, 'time_us': 25}]]}

    def test_views_lie_inside_their_block(self):
        blocks = Blocks(self.snapshot(), 1, [])
        self.assertEqual([getattr(blocks.at(a), 'address', None) for a in (999, 1000, 1511, 1512, 2511, 2512, None)],
                         [None, 1000, 1000, None, 2000, None, None])

    def test_allocated_in_the_step_of_its_last_allocation(self):
        blocks = Blocks(self.snapshot(), 4, [10, 20, 30])     # steps 4, 5 and 6 ended then
        self.assertEqual([(b.address, b.allocated, b.frame and b.frame['line']) for b in blocks.all], [(1000, 5, 3), (2000, -1, None)])


class PassingTest(unittest.TestCase):
    PROGRAM = textwrap.dedent("""
        def train(model, batches):
            total, hidden, best = 0, None, None
            for batch, target in batches:
                with autocast():
                    out, hidden = model(batch, hidden)
                    loss = -out
                total += loss
                if best is None:
                    best = loss
                try:
                    scaled = loss * 2
                except ValueError:
                    pass
                inner(scaled)
        def inner(scaled):
            own = scaled
            walk()
        """).lstrip()

    def test_a_variable_that_each_round_binds_first(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'program.py')
            with open(path, 'w') as file:
                file.write(self.PROGRAM)
            found = {}

            def walk():
                loop = {'file': path, 'function': 'train', 'line': 3, 'lastLine': 14, 'isStepLoop': True}
                passing = Passing(Statements(), [loop])
                for name in ('batch', 'target', 'out', 'hidden', 'loss', 'total', 'best', 'scaled'):
                    found[name] = passing(Chain(Root('local', name, path, 'train', 1, True), ()))
                found['own'] = passing(Chain(Root('local', 'own', path, 'inner', 16, True), ()))
                found['total elsewhere'] = passing(Chain(Root('local', 'batch', path, 'main', 1, True), ()))
                found['before steps are known'] = Passing(Statements(), ())(Chain(Root('local', 'out', path, 'train', 1, True), ()))

            program = {'walk': walk, 'autocast': contextlib.nullcontext}
            exec(compile(self.PROGRAM, path, 'exec'), program)
            program['train'](lambda batch, hidden: (1, batch), [(1, 2)])
        self.assertEqual({name for name, is_passing in found.items() if is_passing}, {'batch', 'target', 'out', 'loss', 'scaled', 'own'})


class StatementsTest(unittest.TestCase):
    def find(self, source, **holder):
        with tempfile.NamedTemporaryFile('w', suffix='.py', delete=False) as file:
            file.write(source)
        self.addCleanup(os.remove, file.name)
        wanted = {'kind': 'variable', 'owner': 'main', 'key': None, 'container': True, **holder}
        return [found['line'] for found in Statements().find(Holder(file=file.name, **wanted)) if found['file'] == file.name]

    def test_the_key_decides(self):
        source = "def main():\n    h = {'a': [], 'b': []}\n    h['a'].append(1)\n    h['b'].append(2)\n"
        self.assertEqual(self.find(source, name='h', key='b')[0], 4)

    def test_growth_before_creation(self):
        source = 'def main():\n    total = 0\n    for x in y:\n        total = total + x\n'
        self.assertEqual(self.find(source, name='total', container=False), [4])

    def test_in_the_function_it_is_passed_to(self):
        source = 'def record(log, x):\n    log.append(x)\n\ndef main():\n    rows = []\n    record(rows, 1)\n'
        self.assertEqual(self.find(source, name='rows'), [2])
        other = source.replace('main', 'other') + '\ndef main():\n    rows = []\n'
        self.assertEqual(self.find(other, name='rows'), [])

    def test_an_empty_list_among_several_values_fills_nothing(self):
        source = 'def main():\n    inbox, rows = Queue(8), []\n    inbox, (rows, seen) = 0, (rows + [1], [])\n'
        self.assertEqual(self.find(source, name='rows'), [3])
        self.assertEqual(self.find(source, name='inbox'), [2])

    def test_growth_before_what_leaves_items_out(self):
        source = 'def main():\n    rows = [x for x in rows if x]\n    rows = rows[-3:]\n    rows.append(1)\n'
        self.assertEqual(self.find(source, name='rows'), [4, 2, 3])

    def test_a_heap_and_a_sorted_list_grow_by_functions(self):
        source = ('import heapq\nfrom bisect import insort\nclass Best:\n    def __init__(self):\n        self.kept = []\n'
                  '    def offer(self, x):\n        heapq.heappush(self.kept, x)\n        insort(self.other, x)\n')
        self.assertEqual(self.find(source, name='kept', kind='attribute', owner='Best'), [7])
        self.assertEqual(self.find(source, name='other', kind='attribute', owner='Best'), [8])

    def test_a_cell_of_a_notebook(self):
        name, source = '/tmp/ipykernel_7/1234.py', 'rows = []\nfor x in y:\n    rows.append(x)\n'
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        self.addCleanup(linecache.cache.pop, name)
        for cell in (name, '/tmp/ipykernel_7/99.py'):    # all cells have the same names
            found = Statements().find(Holder('variable', 'rows', None, cell, None, True))
            self.assertEqual([(at['file'], at['line'], at['text']) for at in found], [(name, 3, 'rows.append(x)')])
        self.assertEqual(Statements().find(Holder('variable', 'rows', None, '/tmp/train.py', None, True)), [])

    def test_same_name_in_another_function_is_another_variable(self):
        source = 'def other():\n    rows = []\n    rows.append(1)\n\ndef main():\n    rows = []\n    rows.append(2)\n'
        self.assertEqual(self.find(source, name='rows'), [7])

    def test_the_method_that_registers_hooks_of_this_kind(self):
        source = ('class Point:\n    def add(self, hook):\n        self.register_forward_hook(hook)\n        self.register_forward_pre_hook(hook)\n'
                  '        self.register_full_backward_hook(hook)\n')
        for name, line in (('_forward_hooks', 3), ('_forward_pre_hooks', 4), ('_backward_hooks', 5)):
            self.assertEqual(self.find(source, kind='hook', name=name, owner='Point')[0], line)

    def test_an_attribute_whose_name_is_made(self):
        source = ('class Queue:\n    def push(self, keys):\n        self.register_buffer(f"keys_{self.count}", keys)\n'
                  '        setattr(self, "rows_%d" % self.count, keys)\n        setattr(self, "old_{}".format(self.count), keys)\n'
                  '        self.add_module("net" + str(self.count), keys)\n        setattr(self, f"", keys)\n')
        for name, line in (('keys_12', 3), ('rows_12', 4), ('old_12', 5), ('net12', 6), ('keyed', None)):
            found = self.find(source, name=name, kind='attribute', owner='Queue', container=False, classes=(('queue.py', 'Queue'),))
            self.assertEqual(found, [line] if line else [])

    def test_an_attribute_that_is_set_by_a_name_from_elsewhere(self):
        source = ('class Quantizer:\n    def __init__(self):\n        self.register_buffer("variance", None)\n'
                  '    def update(self, name, value):\n        setattr(self, name, getattr(self, name) * 0.9 + value)\n'
                  'class Other:\n    def update(self, name, value):\n        setattr(self, name, value)\n')
        found = self.find(source, name='variance', kind='attribute', owner='Quantizer', container=False, classes=(('q.py', 'Quantizer'),))
        self.assertEqual(found, [5])

    def test_calls_that_pass_an_object_on(self):
        source = ('class Assistant:\n    def encode(self, ids):\n        self.model(ids, past=self.cache)\n        use(self.cache)\n'
                  '        self.cache.reset()\n        return cache_of(ids)\n')
        self.assertEqual(self.find(source, kind='passed', name='cache'), [3, 4])
        self.assertEqual(self.find('def main():\n    net(cache)\n', kind='passed', name='cache'), [], 'a variable is passed to much else')

    def test_the_programs_own_call_of_a_method_that_leads_to_the_statement(self):
        library = ('class Box:\n    def __init__(self):\n        self._kept = []\n    def _put(self, item):\n        self._kept.append(item)\n'
                   '    def _put_one(self, item):\n        self._put(item)\n    def pack(self, *items):\n        for item in items:\n'
                   '            self._put_one(item)\n')
        program = 'from boxes import Box\nbox = Box()\ndef step(x):\n    box.weigh()\n    box.pack(x)\n'
        with tempfile.TemporaryDirectory() as folder:
            packages = os.path.join(folder, 'site-packages')
            os.mkdir(packages)
            path, own = os.path.join(packages, 'boxes.py'), os.path.join(folder, 'program.py')
            for file, text in ((path, library), (own, program)):
                with open(file, 'w') as out:
                    out.write(text)
            sys.path[:0] = [folder, packages]
            try:
                import program as loaded
                codes = [value.__code__ for value in vars(loaded.Box).values() if hasattr(value, '__code__')]
                statements = Statements()
                statements.begin(Deadline(float('inf')), lambda: codes, ())
                holder = Holder('attribute', '_kept', 'Box', path, None, True, classes=((path, 'Box'),))
                found = {through: [(os.path.basename(one['file']), one['line']) for one in statements.told(holder, through)] for through in ('box', 'crate')}
            finally:
                del sys.path[:2]
                for name in ('program', 'boxes'):
                    sys.modules.pop(name, None)
        self.assertEqual(found, {'box': [('program.py', 5)], 'crate': [('boxes.py', 5)]})

    def test_calls_through_the_name_of_a_librarys_object(self):
        source = ('class Trainer:\n    def step(self, x):\n        self.metric.reset()\n        value = self.metric(x)\n'
                  '        other.update(x)\n        self.metric.update(x)\n        self.metric.compute()\n        self.metric["train"].update(x)\n')
        self.assertEqual(self.find(source, kind='through', name='metric', owner='update'), [4, 6, 8])

    def test_attribute_outside_init_first(self):
        source = 'class A:\n    def __init__(self, x):\n        self.kept = x\n    def forward(self, x):\n        self.kept = self.kept + x\n'
        self.assertEqual(self.find(source, name='kept', kind='attribute', owner='A', container=False)[0], 5)


if __name__ == '__main__':
    unittest.main()
