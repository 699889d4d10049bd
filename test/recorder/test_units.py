"""The recorder's parts, one by one. No tensors."""
from __future__ import annotations

import contextlib
import gc
import hashlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
import typing
import unittest

from leakline_recorder import cli, guard
from leakline_recorder.collector import CollectorWatch
from leakline_recorder.collector import at_rest
from leakline_recorder.files import HOST, SIDECAR, Budget, appearing, make_output, sweep
from leakline_recorder.options import Options, describe
from leakline_recorder.run import chosen, identify
from leakline_recorder.schedule import COST_SHARE, Intervals, Schedule
from leakline_recorder.sources import Sources, is_users
from leakline_recorder.step_counter import KEPT, StepCounter
from torch.optim import Optimizer


def full_steps(steps: int, **settings):
    schedule = Schedule(Options(**settings))
    return [step for step in range(1, steps + 1) if schedule.full(step)]


class ScheduleTest(unittest.TestCase):
    def test_dense_at_first_then_every_k_then_wider(self):
        self.assertEqual(full_steps(120, every=10, start=2, widen=4), [1, 2, 10, 20, 30, 40, 60, 80, 100, 120])

    def test_long_runs_stay_bounded(self):
        self.assertLessEqual(len(full_steps(300_000, every=10, start=2, widen=8)), 100)
        self.assertGreater(len(full_steps(300_000, every=10, start=2, widen=8)), 20)

    def test_limit(self):
        self.assertEqual(full_steps(1000, every=1, start=0, widen=1000, limit=7), [1, 2, 3, 4, 5, 6, 7])

    def test_light_lies_between_full_ones(self):
        schedule = Schedule(Options(every=10, start=0, light=4))
        self.assertEqual([s for s in range(1, 21) if not schedule.full(s) and schedule.light(s)], [2, 4, 6, 8, 12, 14, 16, 18])

    def test_intervals_double_and_leave_the_program_most_of_the_time(self):
        intervals = Intervals(Options(widen=2, limit=5), 10.0)
        self.assertEqual([intervals.after(cost) for cost in (0.1, 0.1, 3.0, 0.1, 0.1, 0.1)], [10.0, 20.0, 3.0 * COST_SHARE, 40.0, 40.0, None])

    def test_no_light_when_off(self):
        schedule = Schedule(Options(every=10, light=0))
        self.assertFalse(any(schedule.light(step) for step in range(1, 50)))


class CollectorTest(unittest.TestCase):
    def setUp(self):
        with at_rest():
            gc.collect()
        self.watch = CollectorWatch()
        self.watch.start()
        self.addCleanup(self.watch.stop)

    def test_tells_when_it_found_something(self):
        def now():
            return time.time_ns() // 1000

        freed = []

        class Node:
            def __del__(self):
                freed.append(now())

        with at_rest():
            for _ in range(3):
                node = Node()
                node.node = node
            del node
            self.assertEqual(self.watch.times(), {'beganAtUs': [], 'endedAtUs': [], 'full': 0})
            before = now()
            gc.collect()
            after = now()
            gc.collect()
        times = self.watch.times()
        (began,), (ended,) = times['beganAtUs'], times['endedAtUs']
        self.assertEqual(len(freed), 3)
        self.assertTrue(before <= began <= min(freed) <= max(freed) <= ended <= after + 1, (before, times, freed, after))

    def test_is_gone_when_stopped(self):
        count = len(gc.callbacks)
        self.watch.stop()
        self.watch.stop()
        self.assertEqual(len(gc.callbacks), count - 1)


class FilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, 'a.pickle')

    def test_appears_whole(self):
        with appearing(self.path) as file:
            file.write(b'half')
            file.flush()
            self.assertFalse(os.path.exists(self.path))
        self.assertEqual(open(self.path, 'rb').read(), b'half')

    def test_error_leaves_nothing(self):
        with self.assertRaises(ValueError):
            with appearing(self.path) as file:
                file.write(b'half')
                raise ValueError
        self.assertEqual(os.listdir(self.folder), [])

    @unittest.skipIf(os.name == 'nt', 'needs SIGKILL')
    def test_killed_half_way_leaves_no_half_file(self):
        code = ('import sys, time\nfrom leakline_recorder.files import appearing\n'
                f'with appearing({self.path!r}) as file:\n    file.write(b"x" * 100000); file.flush(); print("half", flush=True); time.sleep(60)\n')
        child = subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), 'half\n')
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        self.assertEqual(len(os.listdir(self.folder)), 1)
        self.assertFalse(os.path.exists(self.path))
        sweep(self.folder)
        self.assertEqual(os.listdir(self.folder), [])

    def test_sweep_leaves_what_a_living_process_writes(self):
        mine = os.path.join(self.folder, f'.a.pickle.{HOST}.{os.getpid()}.part')
        open(mine, 'wb').close()
        sweep(self.folder)
        self.assertTrue(os.path.exists(mine))

    def test_sweep_leaves_what_another_machine_writes(self):
        ended = subprocess.Popen([sys.executable, '-c', ''])
        ended.wait()
        theirs, ours = (os.path.join(self.folder, f'.a.pickle.{host}.{ended.pid}.part') for host in ('other-host', HOST))
        for path in (theirs, ours):
            open(path, 'wb').close()
        sweep(self.folder)
        self.assertEqual([os.path.exists(path) for path in (theirs, ours)], [True, False])

    def test_a_budget_thins_out_what_is_older(self):
        budget = Budget(1000)
        for step in range(40):
            path = os.path.join(self.folder, f'rank0_step{step:06d}')
            for suffix in ('.pickle', SIDECAR):
                with open(path + suffix, 'wb') as file:
                    file.write(b'x' * 100)
            budget.written(path, 100, keep=step == 5)
        left = sorted(int(name[10:16]) for name in os.listdir(self.folder) if name.endswith('.pickle'))
        self.assertLessEqual(len(left), 10)
        self.assertGreaterEqual(len(left), 5)
        self.assertTrue({0, 5, 39} <= set(left), left)
        self.assertEqual(left, sorted(int(name[10:16]) for name in os.listdir(self.folder) if name.endswith(SIDECAR)))

    def test_light_snapshots_go_first_and_the_last_full_one_stays(self):
        budget = Budget(1000)
        for step in range(20):
            path = os.path.join(self.folder, f'rank0_step{step:06d}' + '_light' * (step % 5 > 0))
            with open(path + '.pickle', 'wb') as file:
                file.write(b'x' * 100)
            budget.written(path, 100, light=step % 5 > 0)
        left = os.listdir(self.folder)
        self.assertTrue({f'rank0_step{step:06d}.pickle' for step in (0, 5, 10, 15)} <= set(left), left)
        self.assertLessEqual(len(left), 10)
        for step in range(20, 60):
            budget.written(path, 300, light=True)
        self.assertTrue(os.path.exists(os.path.join(self.folder, 'rank0_step000015.pickle')))

    @unittest.skipUnless(sys.platform == 'linux', 'only Linux has /proc')
    def test_refuses_an_output_that_cannot_be_a_folder(self):
        for path in ('/proc', '/proc/leakline', '/dev/full', '/dev/full/a/b'):
            with self.assertRaises(ValueError) as caught:
                make_output(path)
            self.assertRegex(str(caught.exception), f"^out expects a folder that can be written, got '{path}' \\(.+\\)$")

    def test_recordings_stay_out_of_git(self):
        make_output(os.path.join(self.folder, 'out'))
        self.assertEqual(open(os.path.join(self.folder, 'out', '.gitignore')).read(), '*\n')


class RunTest(unittest.TestCase):
    def test_own_id_first(self):
        run = identify('', {'LEAKLINE_RUN_ID': 'mine', 'TORCHELASTIC_RUN_ID': 'theirs', 'RANK': '3', 'WORLD_SIZE': '8', 'LOCAL_RANK': '1'})
        self.assertEqual((run.id, run.rank, run.local_rank, run.world_size), ('mine', 3, 1, 8))

    def test_one_id_for_all_ranks(self):
        ids = {identify('', {'TORCHELASTIC_RUN_ID': 'none', 'RANK': str(rank)}).id for rank in range(4)}
        self.assertEqual(len(ids), 1)

    def test_nodes_agree_and_launches_on_one_node_differ(self):
        node = {'MASTER_ADDR': '10.0.0.1', 'MASTER_PORT': '29500', 'WORLD_SIZE': '16', 'LOCAL_WORLD_SIZE': '8', 'TORCHELASTIC_RUN_ID': 'none'}

        def ids(env):
            """In processes of two launchers, as on two nodes."""
            code = f'import sys\nsys.path = {sys.path!r}\nfrom leakline_recorder.run import identify\nprint(identify("", {env!r}).id)'
            launcher = f'import subprocess, sys\nsubprocess.run([sys.executable, "-c", {code!r}])\n'
            return {subprocess.run([sys.executable, '-c', launcher], capture_output=True, text=True).stdout for _ in range(2)}
        (shared,) = ids(node)
        self.assertNotEqual({shared}, ids({**node, 'MASTER_PORT': '29501'}))
        self.assertEqual(ids({**node, 'SLURM_JOB_ID': '7', 'SLURM_STEP_ID': '2'}), {'slurm-7-2\n'})
        self.assertEqual(ids({**node, 'TORCHELASTIC_RUN_ID': 'mine'}), {'mine\n'})
        self.assertEqual(ids({**node, 'LEAKLINE_RUN_ID': 'own', 'SLURM_JOB_ID': '7'}), {'own\n'})
        self.assertEqual(len(ids({**node, 'LOCAL_WORLD_SIZE': '16'})), 2)

    def test_chosen_ranks(self):
        self.assertEqual([rank for rank in range(20) if chosen('0,8-15/4,*/9', rank)], [0, 8, 9, 12, 18])
        self.assertTrue(chosen('', 5))
        for wrong in ('x', '1-', '*/0', '-3'):
            with self.assertRaises(ValueError):
                chosen(wrong, 0)

    def test_a_restart_is_another_run(self):
        first = identify('', {'TORCHELASTIC_RUN_ID': 'job', 'TORCHELASTIC_RESTART_COUNT': '0'}).id
        second = identify('', {'TORCHELASTIC_RUN_ID': 'job', 'TORCHELASTIC_RESTART_COUNT': '1'}).id
        self.assertEqual((first, second), ('job', 'job-restart1'))

    def test_ids_are_safe_folder_names(self):
        self.assertEqual(identify('../a b/c', {}).id, 'a-b-c')

    def test_alone(self):
        run = identify('', {})
        self.assertEqual((run.rank, run.world_size), (0, 1))
        self.assertTrue(run.id.endswith(f'-{os.getpid()}'))


class OptionsTest(unittest.TestCase):
    def test_given_before_environment_before_default(self):
        os.environ.update(LEAKLINE_EVERY='7', LEAKLINE_HOLDERS='0', LEAKLINE_MIN_AGE='5')
        self.addCleanup(lambda: [os.environ.pop(name) for name in ('LEAKLINE_EVERY', 'LEAKLINE_HOLDERS', 'LEAKLINE_MIN_AGE')])
        options = Options.from_environment(min_age=9)
        self.assertEqual((options.every, options.holders, options.min_age, options.widen), (7, False, 9, 8))

    def test_odd_values_are_refused_by_name(self):
        odd = ['-1', 'nan', 'inf', '1e400', '', '9' * 5000, '\u202ex', '\x1b]0;x\x07', '0', 'true', '٣' * 20]
        parser = cli.parser()
        for name, kind in typing.get_type_hints(Options).items():
            for text in odd:
                with self.subTest(name, text=text[:10]):
                    errors = io.StringIO()
                    with contextlib.redirect_stderr(errors):
                        try:
                            value = getattr(parser.parse_args([f"--{name.replace('_', '-')}={text}"]), name)
                        except SystemExit:
                            value = None
                    if value is not None:
                        self.assertIsInstance(value, (int, float) if kind is float else kind)
                        self.assertFalse(kind is int and not 0 <= value <= sys.maxsize, value)
                        self.assertFalse(kind in (int, float) and text in ('-1', 'nan', 'inf', '1e400', '', '9' * 5000), value)
                        continue
                    last = errors.getvalue().splitlines()[-1]
                    self.assertRegex(last, rf"error: argument --{name.replace('_', '-')}: {name} expects .*, got ")
                    self.assertTrue(last.isprintable() and len(last) < 300, last)
        for name, value in (('every', '7'), ('every', 0), ('holders_seconds', float('nan')), ('device', 'tpu'), ('signal', 'SIG_DFL'), ('out', 7)):
            with self.assertRaisesRegex(ValueError, f'^{name} expects '):
                Options(**{name: value})

    def test_prints_nothing_that_acts_on_a_terminal(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            guard.say('/a\x1b]0;x\x07\u202e\U000e0041/b')
        self.assertEqual(errors.getvalue(), 'leakline: /a\\x1b]0;x\\x07\\u202e\\U000e0041/b\n')

    def test_each_is_described(self):
        for name in Options.__dataclass_fields__:
            self.assertTrue(describe(name), name)

    def test_command_line(self):
        own, command = cli.split(['--every', '5', '--quiet=1', 'train.py', '--every', '99', '-m'])
        self.assertEqual((own, command), (['--every', '5', '--quiet=1'], ['train.py', '--every', '99', '-m']))
        self.assertEqual(cli.parser().parse_args(own).every, 5)
        self.assertEqual(cli.split(['--out', 'x', '-m', 'pkg.train', '--lr', '1'])[1], ['-m', 'pkg.train', '--lr', '1'])


class StepsTest(unittest.TestCase):
    def setUp(self):
        self.seen = []
        self.steps = StepCounter(self.seen.append)
        self.steps.watch_optimizers()
        self.addCleanup(self.steps.stop)

    def test_one_optimizer(self):
        optimizer = Optimizer()
        for _ in range(3):
            optimizer.step()
        self.assertEqual((self.seen, self.steps.source), ([1, 2, 3], 'optimizer'))

    def test_two_optimizers_take_turns(self):
        generator, critic = Optimizer(), Optimizer()
        for _ in range(4):
            critic.step()
            generator.step()
        self.assertEqual(self.seen, [1, 2, 3, 4])

    def test_a_new_trial_continues(self):
        for _ in range(3):
            optimizer = Optimizer()
            for _ in range(2):
                optimizer.step()
        self.assertEqual(self.seen, [1, 2, 3, 4, 5, 6])

    def test_an_optimizer_that_cannot_be_compared(self):
        class Mine(Optimizer):
            __eq__ = None

        optimizer = Mine()
        for _ in range(3):
            optimizer.step()
        Mine().step()
        self.assertEqual(self.seen, [1, 2, 3, 4])

    @staticmethod
    def parts(count):
        return [{'params': [object()]} for _ in range(count)]

    def test_an_optimizer_that_is_stepped_group_by_group(self):
        # as DeepSpeed's ZeRO does: by its groups (stages 1 and 2), or by what it puts into one group (stage 3)
        for whole in (True, False):
            with self.subTest(whole):
                self.seen.clear()
                before, optimizer, groups = self.steps.count, Optimizer(), self.parts(3)
                optimizer.param_groups = [{'params': []}, {'params': []}]
                for _ in range(4):
                    for group in groups:
                        if whole:
                            optimizer.param_groups = [group]
                        else:
                            optimizer.param_groups[1]['params'] = group['params']
                        optimizer.step()
                self.assertEqual(self.seen, [before + step for step in (1, 2, 3, 4)])
                del optimizer

    def test_parameters_that_are_replaced_and_blocks_that_come_back(self):
        optimizer, blocks = Optimizer(), self.parts(3)
        for round in range(30):
            optimizer.param_groups = [blocks[round % 3]]
            for _ in range(10):
                optimizer.step()
        self.assertEqual(len(self.seen), 300)
        kept = []
        for _ in range(2000):
            kept.append(self.parts(1))
            optimizer.param_groups = kept[-1]
            optimizer.step()
            optimizer.step()
        self.assertEqual(len(self.seen), 4300)

    def test_marks_replace_optimizers(self):
        optimizer = Optimizer()
        optimizer.step()
        self.steps.mark()
        optimizer.step()
        optimizer.step()
        self.steps.mark()
        self.assertEqual((self.seen, self.steps.source), ([1, 2, 3], 'marks'))

    def test_stopped(self):
        self.steps.stop()
        Optimizer().step()
        self.assertEqual(self.seen, [])

    def test_times_are_bounded_and_aligned(self):
        for _ in range(2 * KEPT + 10):
            self.steps.mark()
        self.assertLessEqual(len(self.steps.times_us), 2 * KEPT)
        self.assertEqual(self.steps.first_time + len(self.steps.times_us) - 1, self.steps.count)
        self.assertLess(abs(self.steps.times_us[-1] / 1e6 - time.time()), 5)


class SourcesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.path = os.path.join(self.folder, 'planted_module.py')
        with open(self.path, 'w') as file:
            file.write('x = 1\n')
        sys.path.insert(0, self.folder)
        self.addCleanup(sys.path.remove, self.folder)
        self.addCleanup(sys.modules.pop, 'planted_module', None)
        __import__('planted_module')

    def entry(self, sources):
        return next(entry for entry in sources.files() if entry['path'] == self.path)

    def test_hash_of_what_was_loaded(self):
        sources = Sources(with_text=False)
        before = self.entry(sources)['sha256']
        self.assertEqual(before, hashlib.sha256(b'x = 1\n').hexdigest())
        with open(self.path, 'w') as file:
            file.write('x = 2\n')
        self.assertEqual(self.entry(sources)['sha256'], before)

    def test_text_only_when_asked(self):
        self.assertNotIn('text', self.entry(Sources(with_text=False)))
        self.assertEqual(self.entry(Sources(with_text=True))['text'], 'x = 1\n')

    def test_libraries_and_the_recorder_are_not_the_program(self):
        self.assertFalse(is_users(os.__file__))
        self.assertFalse(is_users(cli.__file__))
        self.assertFalse(is_users('/home/me/venv/lib/python3.9/site-packages/torch/nn/functional.py'))
        self.assertFalse(is_users('<string>'))
        self.assertTrue(is_users(self.path))

    def git(self, **files):
        for name, text in files.items():
            path = os.path.join(self.folder, name.replace('__', '/'))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w') as file:
                file.write(text)
        main = sys.modules['__main__']
        had = getattr(main, '__file__', None)
        main.__file__ = self.path
        self.addCleanup(setattr, main, '__file__', had)
        return Sources(with_text=False).git()

    def test_revision_of_a_branch(self):
        os.makedirs(os.path.join(self.folder, '.git', 'refs', 'heads'))
        with open(os.path.join(self.folder, '.git', 'HEAD'), 'w') as file:
            file.write('ref: refs/heads/main\n')
        with open(os.path.join(self.folder, '.git', 'refs', 'heads', 'main'), 'w') as file:
            file.write('a' * 40 + '\n')
        self.assertEqual(self.git(), {'root': self.folder, 'commit': 'a' * 40})

    def test_revision_from_packed_refs(self):
        os.makedirs(os.path.join(self.folder, '.git'))
        with open(os.path.join(self.folder, '.git', 'HEAD'), 'w') as file:
            file.write('ref: refs/heads/main\n')
        with open(os.path.join(self.folder, '.git', 'packed-refs'), 'w') as file:
            file.write('# pack-refs\n' + 'c' * 40 + ' refs/heads/domain\n' + 'b' * 40 + ' refs/heads/main\n')
        self.assertEqual(self.git()['commit'], 'b' * 40)

    def test_no_repository(self):
        found = self.git()
        self.assertTrue(found is None or found['root'] != self.folder)


class GuardTest(unittest.TestCase):
    def test_an_error_is_one_line_and_said_once(self):
        @guard.guarded('planted trouble')
        def broken():
            raise KeyError('x')
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertIsNone(broken())
            broken()
        self.assertEqual(said.getvalue(), "leakline: planted trouble: KeyError: 'x'\n")

    def test_files_that_cannot_be_written_are_said_once_whatever_their_names(self):
        @guard.guarded('planted trouble with files')
        def write(number):
            with open(f'/nowhere/{number}', 'wb'):
                pass
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            write(1)
            write(2)
        self.assertEqual(len(said.getvalue().splitlines()), 1)


class CollectorAtRestTest(unittest.TestCase):
    def test_rests_during_a_dump_and_comes_back(self):
        runs = []
        gc.callbacks.append(lambda phase, info: runs.append(phase))
        self.addCleanup(gc.callbacks.pop)
        with at_rest():
            before = len(runs)
            heap = [[index] for index in range(100_000)]
            during = len(runs) - before
        self.assertTrue(gc.isenabled())
        self.assertEqual((during, len(heap)), (0, 100_000))
        self.assertGreater(len(runs), 0, 'outside, as many objects do set the collector off')

    def test_stays_off_where_the_program_turned_it_off(self):
        gc.disable()
        self.addCleanup(gc.enable)
        with at_rest():
            pass
        self.assertFalse(gc.isenabled())


if __name__ == '__main__':
    unittest.main()
