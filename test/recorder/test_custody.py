"""What holders do with their memory from search to search, and steps of programs without an optimizer."""
from __future__ import annotations

import sys
import textwrap
import unittest

from test_session import PROGRAM, Programs

EVERY = ('--every', '5', '--start', '0', '--light', '0', '--at-exit', '0', '--widen', '1000')

#: the start of a program, whose indentation is that of the programs below
METER = '''
            class Meter:
                def __init__(self):
                    self.reset()
                def reset(self):
                    self.values = []
                def add(self, value):
                    self.values.append(value)'''


class CustodyTest(Programs):
    def owners(self, program, step, *options):
        found = self.run_program('import torch\n' + textwrap.dedent(program), *EVERY, *options)
        self.assertEqual(found.done.returncode, 0, found.done.stderr)
        return {owner['name']: owner for owner in found.sidecar(f'rank0_step{step:06d}.pickle')['holders']['owners']}

    def test_a_holder_that_frees_nothing(self):
        owner = self.owners('''
            opt = torch.optim.Optimizer()
            history = []
            for step in range(20):
                history.append(torch.Tensor(4096))
                opt.step()
        ''', 20)['history']
        self.assertEqual({key: owner['custody'][key] for key in ('sinceStep', 'searches', 'freedBytes', 'movedBytes')},
                         {'sinceStep': 5, 'searches': 4, 'freedBytes': 0, 'movedBytes': 0})
        self.assertEqual(owner['custody']['lengths'], [5, 10, 15, 20])
        self.assertEqual(owner['custody']['heldBytes'], owner['bytes'])

    def test_a_holder_that_is_cleared_and_one_that_passes_its_memory_on(self):
        owners = self.owners('''
            opt = torch.optim.Optimizer()
            staged, archive, outputs = [], [], []
            for step in range(1, 21):
                staged.append(torch.Tensor(4096))
                outputs.append(torch.Tensor(1 << 16))
                opt.step()
                if step % 8 == 0:
                    archive.extend(staged)
                    staged.clear()
                    outputs.clear()
        ''', 20)
        self.assertGreater(owners['staged']['custody']['movedBytes'], 0)
        self.assertEqual(owners['archive']['custody']['freedBytes'], 0)
        self.assertGreater(owners['outputs']['custody']['freedBytes'], 0)
        clear = next(one for one in owners['outputs']['releases'] if one['kind'] == 'clear')
        self.assertEqual((clear['where'], clear['isConditional'], clear['hasRun']), ('loop', True, True))

    @unittest.skipIf(sys.version_info < (3, 11), 'this Python does not show which lines have run')
    def test_the_statement_that_has_run_is_named(self):
        owner = self.owners('''
            class Store:
                detach = False
                def __init__(self):
                    self.kept = []
                def save(self, tensor):
                    if self.detach:
                        self.kept.append(tensor.cpu())
                    else:
                        self.kept.append(tensor)
            opt = torch.optim.Optimizer()
            store = Store()
            for step in range(20):
                store.save(torch.Tensor(4096))
                opt.step()
        ''', 20)['Store.kept']
        self.assertEqual(owner['line'], 11)

    def test_the_statement_of_the_key_is_named_wherever_the_dictionary_is_passed(self):
        owner = self.owners('''
            import collections
            def log(logs, tensor):
                logs['z'].append(tensor)
            def train():
                opt = torch.optim.Optimizer()
                logs = collections.defaultdict(list)
                for name in map(str, range(20)):
                    logs[name]
                for epoch in range(2):
                    for step in range(10):
                        log(logs, torch.Tensor(4096))
                        opt.step()
                    logs['loss'].append(0.5)
            train()
        ''', 20)['logs']
        self.assertEqual(owner['line'], 5)

    def test_tensors_that_are_keys(self):
        owner = self.owners('''
            opt = torch.optim.Optimizer()
            names = {}
            for step in range(20):
                names[torch.Tensor(4096)] = str(step)
                opt.step()
        ''', 20)['names']
        self.assertEqual((owner['kind'], owner['items']), ('global', {'kind': 'key', 'type': None}))

    def test_values_that_refer_to_their_weak_key(self):
        owner = self.owners('''
            import weakref
            class Graph:
                pass
            class Cache:
                def __init__(self):
                    self.entries = weakref.WeakKeyDictionary()
                def put(self, graph):
                    self.entries[graph] = graph, torch.Tensor(4096)
            opt, cache = torch.optim.Optimizer(), Cache()
            for step in range(20):
                cache.put(Graph())
                opt.step()
        ''', 20)['Cache.entries']
        self.assertEqual((owner['items'], owner['isDirect']), ({'kind': 'weak', 'type': None}, True))

    def test_whether_rounds_of_the_loops_make_the_holder_again(self):
        owners = self.owners('''
            class Log:
                def __init__(self):
                    self.rows = []
            class Meter:
                def __init__(self):
                    self.values = []
            meters = {}
            def train(log):
                for epoch in range(2):
                    meters['loss'], held = Meter(), []
                    for step in range(10):
                        log.rows.append(torch.Tensor(4096))
                        meters['loss'].values.append(torch.Tensor(4096))
                        held.append(torch.Tensor(4096))
                        opt.step()
            opt, log = torch.optim.Optimizer(), Log()
            train(log)
        ''', 20)
        self.assertEqual({name: owners[name]['outlivesLoops'] for name in ('Log.rows', 'Meter.values', 'held')},
                         {'Log.rows': True, 'Meter.values': False, 'held': False})

    def test_a_container_that_a_variable_of_a_function_releases(self):
        owners = self.owners('''
            class Log:
                def __init__(self):
                    self.rows, self.lines, self.sizes = [], [], []
                def on_epoch_end(self):
                    for held in (self.rows, self.sizes):
                        held.clear()
                    lines = self.lines
                    del lines[:]
            def train(log):
                for step in range(20):
                    log.rows.append(torch.Tensor(4096))
                    log.lines.append(torch.Tensor(4096))
                    opt.step()
            opt, log = torch.optim.Optimizer(), Log()
            train(log)
        ''', 20)
        self.assertEqual({name: [(one['line'], one['where']) for one in owners[name]['releases']] for name in ('Log.rows', 'Log.lines')},
                         {'Log.rows': [(8, 'framework')], 'Log.lines': [(10, 'framework')]})
        # The function that mentions them has not run.
        self.assertFalse(owners['Log.rows']['outlivesLoops'] or owners['Log.lines']['outlivesLoops'])

    def test_an_object_that_is_made_again_releases_what_the_former_held(self):
        owners = self.owners('''
            class Rollout:
                def __init__(self):
                    self.rows = []
            class Agent:
                def __init__(self):
                    self.rollout = Rollout()
                def act(self, step):
                    self.rollout.rows.append(torch.Tensor(4096))
                    if step == 99:
                        self.rollout = Rollout()
            class Trace:
                def __init__(self):
                    self.lines = []
            def main():
                opt, agent, trace = torch.optim.Optimizer(), Agent(), Trace()
                trace = Trace()
                for step in range(20):
                    agent.act(step)
                    trace.lines.append(torch.Tensor(4096))
                    if step == 98:
                        trace = Trace()
                    opt.step()
            main()
        ''', 20)
        self.assertEqual({name: [(one['kind'], one['line'], one['where'], one['isConditional']) for one in owners[name]['releases']]
                          for name in ('Rollout.rows', 'Trace.lines')},
                         {'Rollout.rows': [('clear', 12, 'loop', True)], 'Trace.lines': [('clear', 23, 'loop', True)]})

    def test_items_and_values_that_are_cut(self):
        owner = self.owners('''
            opt = torch.optim.Optimizer()
            kept = {}
            def cut(key):
                kept[key] = kept[key][-9:].clone()
            def whole(key):
                kept[key] = kept[key].clone()
            for step in range(20):
                kept[step] = torch.Tensor(4096)
                opt.step()
        ''', 20)['kept']
        self.assertEqual([(one['kind'], one['function']) for one in owner['releases']], [('trim', 'cut')])

    def test_releases_and_whether_anything_calls_them(self):
        owner = self.owners(METER + '''
                def trim(self):
                    self.values = self.values[-3:]
                def limit(self):
                    while len(self.values) > 64:
                        self.values.pop()
            opt = torch.optim.Optimizer()
            meter = Meter()
            for epoch in range(4):
                for batch in range(5):
                    meter.add(torch.Tensor(4096))
                    opt.step()
        ''', 20)['Meter.values']
        found = {(one['kind'], one['function'], one['where']) for one in owner['releases']}
        self.assertEqual(found, {('method', 'Meter.reset', 'uncalled'), ('trim', 'Meter.trim', 'uncalled'),
                                 ('bound', 'Meter.limit', 'uncalled'), ('take', 'Meter.limit', 'uncalled')})

    def test_a_statement_that_makes_a_missing_container_releases_nothing(self):
        owner = self.owners('''
            class Cache:
                kept = None
            def add(cache, tensor):
                if cache.kept is None:
                    cache.kept = []
                if not hasattr(cache, 'kept'):
                    cache.kept = list()
                cache.kept.append(tensor)
            def take(cache):
                if cache.kept is None:
                    return
                cache.kept = []
            def checked(cache):
                if not isinstance(cache, Cache):
                    raise TypeError(cache)
                cache.kept.clear()
            opt = torch.optim.Optimizer()
            cache = Cache()
            for step in range(20):
                add(cache, torch.Tensor(4096))
                opt.step()
        ''', 20)['Cache.kept']
        self.assertEqual([(one['kind'], one['function'], one['isConditional']) for one in owner['releases']], [('clear', 'checked', False), ('clear', 'take', True)])

    @unittest.skipIf(sys.version_info < (3, 11), 'this Python does not show which functions have run')
    def test_conditions_of_calls_are_decided_once_the_function_has_run(self):
        owner = self.owners('''
            class Hooks:
                def __init__(self):
                    self.kept = []
                def save(self, tensor):
                    self.kept.append(tensor)
                def pop_last(self):
                    self.kept.pop()
                    if len(self.kept) == 7:
                        return
                    self.kept.pop()
            opt = torch.optim.Optimizer()
            hooks = Hooks()
            backward = []
            if len(hooks.kept) == 0:
                backward.append(hooks.pop_last)
            for step in range(40):
                for _ in range(3):
                    hooks.save(torch.Tensor(4096))
                for hook in backward:
                    hook()
                opt.step()
        ''', 40)['Hooks.kept']
        takes = [(one['line'], one['isConditional'], one['hasRun']) for one in owner['releases'] if one['kind'] == 'take']
        self.assertEqual(sorted(takes), [(9, False, True), (12, True, True)])

    @unittest.skipIf(sys.version_info < (3, 11), 'this Python does not show which functions have run')
    def test_a_method_of_constructors_keeps_the_conditions_of_its_calls(self):
        owner = self.owners(METER + '''
            opt = torch.optim.Optimizer()
            others = [Meter() for _ in range(20)]
            meter = Meter()
            for step in range(20):
                meter.add(torch.Tensor(4096))
                opt.step()
                if step == 100:
                    meter.reset()
        ''', 20)['Meter.values']
        self.assertEqual({(one['kind'], one['where'], one['isConditional']) for one in owner['releases']}, {('method', 'loop', True), ('clear', 'loop', True)})

    def test_a_container_that_is_filled_and_released_under_another_name(self):
        def owner(name, program):
            return self.owners(f"""
                class Log:
                    def __init__(self, rows):
                        self.level, self.rows = 0, rows
                    def add(self, row):
                        self.rows.append(row)
                    def flush(self):
                        self.rows.clear()
                opt = torch.optim.Optimizer()
                {program}
            """, 20)[name]
        local = owner('Log.rows', """
                def main():
                    level, seen = 0, []
                    log = Log(seen)
                    for step in range(20):
                        log.add(torch.Tensor(4096))
                        opt.step()
                        if step == 99:
                            log.flush()
                main()""")
        self.assertEqual(local['line'], 7)
        self.assertEqual([(one['kind'], one['function'], one['where']) for one in local['releases']],
                         [('clear', 'Log.flush', 'loop'), ('method', 'Log.flush', 'loop')])
        shared = owner('seen', """
                seen = []
                log = Log(seen)
                for step in range(20):
                    seen.append(torch.Tensor(4096))
                    opt.step()""")
        self.assertEqual([(one['kind'], one['function'], one['where']) for one in shared['releases']],
                         [('clear', 'Log.flush', 'uncalled'), ('method', 'Log.flush', 'uncalled')])

    def test_tests_around_the_statement_that_adds(self):
        def kinds(test):
            owner = self.owners(f'''
                opt = torch.optim.Optimizer()
                items, seen, most = {{}}, 0, 100
                for step in range(20):
                    if {test}:
                        items[step] = torch.Tensor(4096)
                        seen += 1
                    opt.step()
            ''', 20)['items']
            return [one['kind'] for one in owner['releases']]
        self.assertEqual(kinds('seen < most'), ['bound'])
        self.assertEqual(kinds('step not in items'), ['memo'])
        self.assertEqual(kinds('step > -1'), [])
        self.assertEqual(kinds('True'), [])

    def test_a_second_holder_of_the_same_tensors(self):
        owner = self.owners('''
            opt = torch.optim.Optimizer()
            first, second = [], []
            for step in range(20):
                first.append(torch.Tensor(4096))
                second.append(first[-1])
                opt.step()
        ''', 20)
        (name, found), = owner.items()
        self.assertEqual({name, *(other['name'] for other in found['also'])}, {'first', 'second'})
        self.assertTrue(all(other['line'] for other in found['also']))

    def test_an_object_that_only_c_refers_to(self):
        owner = self.owners('''
            import ctypes
            class Hook:
                def __init__(self, tensor):
                    self.input = tensor
            def register(hook):
                def backward():
                    return hook
                register_hook(backward)
            def register_hook(function):
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(function))
            opt = torch.optim.Optimizer()
            for step in range(20):
                register(Hook(torch.Tensor(4096)))
                opt.step()
        ''', 20)['Hook.input']
        self.assertEqual((owner['kind'], owner['blocks'], owner['line']), ('nativeReference', 19, 6))
        self.assertEqual((owner['pinnedBy']['text'], owner['pinnedBy']['line']), ('hook register.<locals>.backward()', 10))

    def test_a_cycle_of_garbage_has_no_pin_until_c_refers_to_it(self):
        program = '''
            import ctypes, gc
            gc.disable()
            class Node:
                def __init__(self):
                    self.tensor, self.link = torch.Tensor(4096), self
            opt = torch.optim.Optimizer()
            for step in range(20):
                node = Node()
                PIN
                del node
                opt.step()
        '''
        plain, = self.owners(program.replace('PIN', 'pass'), 20).values()
        pinned, = self.owners(program.replace('PIN', 'ctypes.pythonapi.Py_IncRef(ctypes.py_object(node))'), 20).values()
        self.assertEqual((plain['kind'], plain['pinnedBy']), ('cycle', None))
        self.assertEqual((pinned['kind'], pinned['pinnedBy']['text']), ('cycle', 'Node'))

    def test_the_part_of_the_training_that_follows(self):
        program = '''
            import torch
            opt = torch.optim.Optimizer()
            kept = []
            def train(steps):
                for step in range(steps):
                    kept.append(torch.Tensor(4096))
                    opt.step()
            def main():
                train(10)
                AFTER
            main()
        '''
        def following(after):
            found = self.run_program(textwrap.dedent(program.replace('AFTER', after)), *EVERY)
            return found.sidecar('rank0_step000010.pickle')['holders']['next']
        self.assertIsNone(following('print(len(kept))'))
        self.assertEqual(following('train(5)')['line'], 11)
        self.assertEqual(following('[opt.step() for _ in range(2)]'), None)


class StepsWithoutOptimizerTest(Programs):
    NET = '''
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                return torch.Tensor(4096)
        net = Net()
        outputs = []
    '''

    def steps(self, program, *options):
        found = self.run_program(textwrap.dedent(self.NET) + textwrap.dedent(program), *EVERY, *options)
        return found, [(found.sidecar(name)['step'], found.sidecar(name)['stepSource']) for name in found.names]

    def test_rounds_of_the_loop_that_calls_a_module(self):
        found, steps = self.steps('''
            for batch in range(16):
                outputs.append(net(batch))
        ''')
        self.assertEqual(steps, [(5, 'loop'), (10, 'loop')], found.done.stderr)
        self.assertEqual([loop['isStepLoop'] for loop in found.sidecar(found.names[-1])['loops']], [True])

    def test_several_calls_in_a_round_are_one_step(self):
        _, steps = self.steps('''
            for batch in range(16):
                outputs.append([net(batch), net(batch)])
                net(batch)
        ''')
        self.assertEqual(steps, [(5, 'loop'), (10, 'loop')])

    def test_an_optimizer_ends_the_search(self):
        _, steps = self.steps('''
            opt = torch.optim.Optimizer()
            for batch in range(12):
                for part in range(3):
                    outputs.append(net(batch))
                opt.step()
        ''')
        self.assertEqual(steps, [(5, 'optimizer'), (10, 'optimizer')])

    def test_calls_of_a_named_function(self):
        _, steps = self.steps('''
            import json
            for request in range(12):
                outputs.append(net(request))
                json.dumps(json.loads('[1]'))
        ''', '--step', 'json:dumps')
        self.assertEqual(steps, [(5, 'marks'), (10, 'marks')])

    def test_calls_of_a_function_whose_module_imports_torch_first(self):
        found = self.run_program('''
            with open('engine.py', 'w') as file:
                file.write("""
            import torch
            kept = []
            def handle(request):
                kept.append(torch.Tensor(4096))
            """.replace('\\n            ', '\\n'))
            from engine import handle
            for request in range(12):
                handle(request)
        ''', *EVERY, '--step', 'engine:handle')
        self.assertEqual([found.sidecar(name)['step'] for name in found.names], [5, 10], found.done.stderr)

    def test_calls_of_a_function_of_the_script_itself(self):
        _, steps = self.steps('''
            def handle(request):
                outputs.append(net(request))
            net(0)
            for request in range(12):
                handle(request)
        ''', '--step', '__main__:handle')
        self.assertEqual(steps, [(5, 'marks'), (10, 'marks')])

    def test_requests_that_asyncio_or_a_pool_of_threads_runs(self):
        _, tasks = self.steps('''
            import asyncio
            kept = set()
            async def answer(request):
                await asyncio.sleep(0)
                return net(request)
            async def serve():
                for request in range(16):
                    kept.add(asyncio.create_task(answer(request)))
                    await asyncio.sleep(0.001)
            asyncio.run(serve())
        ''')
        _, calls = self.steps('''
            import concurrent.futures
            def answer(request):
                outputs.append(net(request))
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                for request in range(80):
                    pool.submit(answer, request).result()
        ''')
        self.assertEqual(tasks, [(5, 'loop'), (10, 'loop')])
        # Before Python 3.12, two rounds look like one if their requests have the same address.
        self.assertEqual(calls[:1], [(5, 'loop')])

    def test_a_named_function_of_a_module_that_is_not_imported(self):
        found, _ = self.steps('''
            def handle(request):
                outputs.append(net(request))
            handle(1)
            import leakline_recorder
            leakline_recorder.stop()
        ''', '--step', 'script:handle')
        self.assertIn('--step script:handle: the program did not import script; a function of the script itself is __main__:handle', found.done.stderr)

    def test_an_unknown_preset_is_said(self):
        found, steps = self.steps('net(1)', '--step', 'vlm')
        self.assertIn("--step expects MODULE:FUNCTION or one of vllm, sglang, comfyui, generate, diffusers, got 'vlm'", found.done.stderr)
        self.assertEqual(found.done.returncode, 0)


if __name__ == '__main__':
    unittest.main()
