"""Loops around the step, and statements that could release: evidence that the verdict takes from the recorder."""
from __future__ import annotations

import builtins
import sys
import time
import unittest

from leakline_recorder import plain
from leakline_recorder.loops import ALLOWED_SECONDS, Rounds
from leakline_recorder.monitoring import Monitoring
from leakline_recorder.step_counter import StepCounter
from test_session import Programs

COUNTED = sys.version_info >= (3, 12)    # the interpreter itself counts; before, names and calls tell
UNSEEN = 2 if COUNTED else None


def loops(program, kind=Rounds):
    """``(function, line, rounds, is the step loop)`` of the loops around the last step of a program called /prog.py."""
    monitoring = Monitoring()
    rounds = kind(monitoring)
    counter = StepCounter(lambda _: rounds.stepped(sys._getframe()))
    counter.watch_optimizers()
    try:
        exec(compile('import torch\nopt = torch.optim.Optimizer()\n' + program, '/prog.py', 'exec'), {})
        found = rounds.describe()
    finally:
        counter.stop()
        rounds.stop()
        monitoring.stop()
    return found and [(loop['function'], loop['line'], loop['rounds'], loop['isStepLoop']) for loop in found if loop['file'] == '/prog.py']


class LoopsTest(unittest.TestCase):
    def check(self, program, *expected):
        self.assertEqual(loops(program), list(expected))

    def test_epochs_in_one_function(self):
        self.check('''
def main():
    for epoch in range(3):
        with open('/dev/null'):
            for batch in range(10):
                opt.step()
main()''', ('main', 5, 2, False), ('main', 7, 29, True))

    def test_a_method_with_the_name_of_a_builtin_hides_no_loop(self):
        self.check('''
class Model:
    def eval(self): pass
def main():
    for epoch in range(3):
        Model().eval()
        for batch in range(10):
            opt.step()
main()''', ('main', 7, 2, False), ('main', 9, 29, True))

    def test_epochs_of_a_module(self):
        self.check('for epoch in range(3):\n    for batch in range(10):\n        opt.step()', ('<module>', 3, 2, False), ('<module>', 4, 29, True))

    def test_epochs_with_a_long_body(self):
        body = ''.join(f'        value_{at} = [{at}] * 3\n' for at in range(80))
        self.check(f'for epoch in range(3):\n    for batch in range(10):\n{body}        opt.step()', ('<module>', 3, 2, False), ('<module>', 4, 29, True))

    def test_one_endless_loop(self):
        self.check('''
def main():
    turns = 0
    while True:
        turns += 1
        opt.step()
        if turns > 30:
            return
main()''', ('main', 7 if sys.version_info < (3, 10) else 6, 30, True))

    def test_a_trainer_whose_loops_bind_nothing(self):
        self.check('''
class Trainer:
    epoch = turn = 0
    def fit(self):
        while self.epoch < 3:
            self.run()
            self.epoch += 1
    def run(self):
        self.turn = 0
        while self.turn < 10:
            self.turn += 1
            try:
                self.advance()
            except ValueError:
                continue
    def advance(self):
        opt.step()
Trainer().fit()''', ('fit', 7, 2, False), ('run', 12, 29, True))

    def test_an_epoch_that_has_not_ended(self):
        self.check('''
def main():
    for epoch in range(1):
        for batch in range(10):
            opt.step()
main()''', ('main', 5, 0, False), ('main', 6, 9, True))

    def test_a_loop_without_names_repeats_when_the_one_inside_counts_from_the_start(self):
        self.check('''
def main():
    for _ in range(3):
        for _ in range(10):
            opt.step()
main()''', ('main', 5, 2, False), ('main', 6, 29, True))

    def test_numbers_in_any_order_count_no_rounds(self):
        self.check('''
def main():
    done = 0
    while done < 30:
        for index in (3, 1, 4, 1, 5, 9, 2, 6, 5, 8):
            opt.step()
            done += 1
main()''', ('main', 6, UNSEEN, False), ('main', 7, 29, True))

    def test_a_loop_whose_rounds_nothing_marks_is_unknown_before_3_12(self):
        self.check('''
def main():
    items = [object() for _ in range(10)]
    for _ in range(3):
        for _ in items:
            opt.step()
main()''', ('main', 6, UNSEEN, False), ('main', 7, 29, True))

    def test_a_loop_outside_python_is_unknown(self):
        self.check('''
def epoch(_):
    for batch in range(10):
        opt.step()
def main():
    list(map(epoch, range(3)))
main()''', ('main', 8, None, False), ('epoch', 5, 29, True))
        self.check('''
def main():
    for epoch in range(3):
        list(map(lambda _: opt.step(), range(10)))
main()''', ('main', 5, 2, False), ('<lambda>', 6, None, False))

    def test_functions_that_run_again_without_a_loop(self):
        self.check('''
def fit():
    for epoch in range(2):
        for batch in range(5):
            opt.step()
def main():
    fit(); fit(); fit()
main()''', ('fit', 5, 5, False), ('fit', 6, 29, True))

    def test_two_optimizers_and_accumulated_gradients(self):
        self.check('''
other = torch.optim.Optimizer()
def main():
    for epoch in range(3):
        for batch in range(40):
            if batch % 4 == 3:
                for each in (opt, other):
                    each.step()
main()''', ('main', 6, 2, False), ('main', 7, 119 - 9 if COUNTED else 29, True))

    def test_coroutines_go_on_between_turns_of_their_event_loop(self):
        self.check('''
import asyncio
async def step():
    await asyncio.sleep(0)
    opt.step()
async def main():
    for epoch in range(3):
        for batch in range(10):
            await step()
asyncio.run(main())''', ('main', 9, 2, False), ('main', 10, 29, True))

    def test_handlers_that_jump_back_are_no_loops(self):
        self.check('''
import contextlib
def main():
    with contextlib.suppress(ValueError):
        int('x')
    for batch in range(10):
        with contextlib.suppress(ValueError):
            opt.step()
main()''', ('main', 8, 9, True))

    def test_locals_of_the_program_stay_as_they_are(self):
        program = """
def main():
    kept = locals()
    for epoch in range(2):
        for batch in range(5):
            added = batch
            opt.step()
    seen.append(sorted(kept))
main()"""
        builtins.seen = []
        try:
            loops(program)
            self.assertEqual(builtins.seen, [[]])
        finally:
            del builtins.seen

    def test_keeps_nothing_of_the_program(self):
        class Batch:
            pass
        builtins.Batch, builtins.left = Batch, []
        try:
            loops('''
import weakref
def epoch():
    for number in range(5):
        batch = Batch()
        left.append(weakref.ref(batch))
        opt.step()
        before = sum(ref() is not None for ref in left)
        assert before <= 2, before
def main():
    for number in range(4):
        epoch()
        assert not any(ref() for ref in left)
main()''')
            self.assertEqual(len(builtins.left), 20)
        finally:
            del builtins.Batch, builtins.left
        self.assertEqual(plain.HELD_LOCALS, {})

    def test_takes_each_run_of_a_test_for_a_whole_program(self):
        def repeater():
            for _ in range(5):
                body()
                rounds.stepped(sys._getframe())

        def body():
            return 0

        rounds = Rounds(Monitoring())
        rounds.repeat(repeater.__code__, body.__code__)
        for _ in range(3):    # as pytest loops over tests
            repeater()
        found = rounds.describe()
        self.assertEqual([(loop['function'], loop['line'], loop['isStepLoop']) for loop in found], [('body', body.__code__.co_firstlineno, False)])

    def test_ends_where_it_costs_too_much(self):
        class Slow(Rounds):
            def _observe(self, stack):
                end = time.thread_time() + ALLOWED_SECONDS / 4
                while time.thread_time() < end:
                    pass
        self.assertIsNone(loops('for _ in range(8):\n    opt.step()', Slow))

    def test_goes_on_where_it_waits_for_a_processor(self):
        class Waiting(Rounds):
            def _observe(self, stack):
                time.sleep(ALLOWED_SECONDS / 2)
                super()._observe(stack)
        found = loops('def main():\n    for _ in range(4):\n        opt.step()\nmain()', Waiting)
        self.assertEqual(found, [('main', 4, 3, True)])

    def test_leaves_the_interpreter_as_it_was(self):
        if not COUNTED:
            self.skipTest('sys.monitoring came with Python 3.12')
        loops('for _ in range(3):\n    opt.step()')
        self.assertEqual([sys.monitoring.get_tool(tool) for tool in range(6)], [None] * 6)


class RecordingTest(Programs):
    def test_loops_and_releases_are_in_the_sidecar(self):
        found = self.run_program('''
import collections, torch
def main():
    optimizer = torch.optim.Optimizer()
    log, recent = {}, collections.deque(maxlen=100)
    for epoch in range(3):
        for batch in range(8):
            log.setdefault(epoch, []).append(torch.Tensor(1 << 20))
            recent.append(torch.Tensor(1 << 18))
            if batch == 9:
                recent.clear()
            optimizer.step()
        recent.popleft()
main()''', '--every', '5', '--start', '0', '--light', '1')
        side = found.sidecar('rank0_step000020.pickle')
        self.assertEqual([(row['line'], row['rounds']) for row in side['loops']], [(6, 2), (7, 19)])
        self.assertEqual(found.sidecar('rank0_step000010.pickle')['loops'][0]['rounds'], 1)
        if COUNTED:
            self.assertEqual({row['line']: row['runs'] for row in side['releases'] if row['line'] in (11, 13)}, {11: 0, 13: 2})
        else:
            self.assertIsNone(side['releases'])


if __name__ == '__main__':
    unittest.main()
