"""Traces that hold only what is new: joined they are the whole history, and where something is missing they say so."""
from __future__ import annotations

import os
import pickle
import unittest

from test_session import PROGRAM, Programs

#: Keeps what the allocator recorded, cleared or not, beside the recordings.
WHOLE = '''
import atexit, os, pickle, torch
events, plain = [], torch.cuda.allocator.event
def event(action, *args):
    plain(action, *args)
    if torch.cuda.allocator.ring: events.append(torch.cuda.allocator.trace[-1])
torch.cuda.allocator.event = event
atexit.register(lambda: pickle.dump(events, open('whole', 'wb')))
''' + PROGRAM
STEPS = ('--every', '4', '--start', '1', '--light', '0', '--widen', '1000')


class IncrementsTest(Programs):
    def recorded(self, program, *options, env=None):
        """The trace and the sidecar of each snapshot, in order; and all that the allocator recorded."""
        found = self.run_program(program, *STEPS, *options, env=env)
        self.assertEqual(found.done.returncode, 0, found.done.stderr)
        self.found = found
        dumps = [(found.snapshot(name)['device_traces'][0], found.sidecar(name)) for name in found.names]
        with open(os.path.join(self.folder, 'whole'), 'rb') as file:
            return dumps, self.unmarked(pickle.load(file))

    @staticmethod
    def unmarked(trace):
        return [event for event in trace if event['action'] != 'snapshot']

    def joined(self, dumps):
        """As the analysis joins them; where one does not say where it begins, what is behind a gap."""
        events, base, at = [], {None: 0}, None
        for trace, side in dumps:
            behind, = side['ring']['behindUs']
            self.assertIn(behind, base, 'begins behind a snapshot of this run')
            events[base[behind]:] = self.unmarked(trace)
            at = side['takenAtUs']
            base[at] = len(events)
        return events

    def test_joined_are_the_whole_history_to_the_byte(self):
        dumps, whole = self.recorded(WHOLE + 'train(41)')
        self.assertEqual(len(dumps), 12)
        self.assertEqual(self.joined(dumps), whole)
        behind = [side['ring']['behindUs'] for _, side in dumps]
        self.assertEqual(behind, [[None]] + [[side['takenAtUs']] for _, side in dumps[:-1]])
        # Nothing is in two of them, nothing grows: four steps each.
        self.assertEqual(sum(len(self.unmarked(trace)) for trace, _ in dumps), len(whole))
        self.assertEqual({len(trace) for trace, _ in dumps[2:-1]}, {len(dumps[2][0])})
        self.assertFalse(any(side['ring']['overflowed'] for _, side in dumps))

    def test_blocks_keep_their_ages(self):
        dumps, _ = self.recorded(WHOLE + 'train(41)')
        ages = [side['holders']['owners'][0] for _, side in dumps if side['step'] in (8, 40)]
        self.assertEqual([owner['blocks'] for owner in ages], [7, 39], 'the youngest is not old')
        self.assertEqual([[value['steps'] for value in owner.values() if isinstance(value, dict) and 'steps' in value] for owner in ages], [[7], [39]])

    def test_other_snapshots_than_those_of_steps_clear_nothing(self):
        dumps, whole = self.recorded(WHOLE + '''
import leakline_recorder
train(10)
history.append(torch.Tensor(512))
leakline_recorder.dump()
history.append(torch.Tensor(512))
train(11)''')
        self.assertEqual(self.joined(dumps), whole)
        behind = [side['ring']['behindUs'] for _, side in dumps]
        asked = [side['reason'] for _, side in dumps].index('asked')
        self.assertEqual(behind[asked + 1], behind[asked])

    def test_events_between_reading_and_clearing_are_in_the_next(self):
        dumps, whole = self.recorded(WHOLE + '''
import leakline_recorder.session as session
class Busy:
    @staticmethod
    def dump(value, file):
        history.append(torch.Tensor(512))
        pickle.dump(value, file)
session.pickle = Busy
train(9)''')
        self.assertEqual(self.joined(dumps), whole)
        self.assertEqual({tuple(side['ring']['behindUs']) for _, side in dumps}, {(None,)})

    def test_an_event_that_is_lost_while_clearing_leaves_a_gap_that_is_said(self):
        dumps, whole = self.recorded(WHOLE + '''
from leakline_recorder.memory import CudaMemory
clear = CudaMemory.clear
def at_the_same_time(self):
    if len(history) == 8: history.append(torch.Tensor(512))
    clear(self)
CudaMemory.clear = at_the_same_time
train(17)''')
        gaps = [index for index, (_, side) in enumerate(dumps) if side['ring']['behindUs'] == [None]]
        self.assertEqual(gaps, [0, 3])
        self.assertEqual(len(self.joined(dumps[3:])), sum(len(self.unmarked(trace)) for trace, _ in dumps[3:]))
        self.assertNotEqual(self.joined(dumps[:3]) + self.joined(dumps[3:]), whole)

    def test_a_full_ring_says_that_its_oldest_events_are_gone(self):
        dumps, _ = self.recorded(WHOLE + 'train(17)', '--max-entries', '12')
        self.assertEqual({(side['ring']['overflowed'], *side['ring']['behindUs']) for _, side in dumps[2:-1]}, {(True, None)})

    def test_the_history_of_a_program_that_records_itself_is_left_alone(self):
        program = WHOLE + '''
record = torch.cuda.memory._record_memory_history
train(9)
record(max_entries=5000)
mine = len(events)
train(9)
own = torch.cuda.memory._snapshot()['device_traces'][0]
print(own[-len(events[mine:-1]):] == events[mine:-1] and len(events) > mine)
record(enabled=None)
torch.Tensor(512)
train(9)'''
        dumps, _ = self.recorded(program)
        self.assertEqual(self.found.done.stdout, 'True\n')
        behind = {side['step']: side['ring']['behindUs'] for _, side in dumps}
        self.assertEqual(behind[12], behind[16], 'nothing is cleared meanwhile')
        self.assertEqual([behind[20], behind[24] == [None]], [[None], False], 'switched off and on again: a gap')

    def test_counters_that_the_program_resets_end_it(self):
        dumps, whole = self.recorded(WHOLE + '''
for _ in range(9):
    train(4)
    torch.cuda.allocator.counted['allocation.all.freed'] = 0
''')
        behind = [side['ring']['behindUs'] for _, side in dumps]
        self.assertEqual({tuple(one) for one in behind[2:]}, {(None,)})
        self.assertGreater(len(dumps[-1][0]), 3 * len(dumps[2][0]), 'a ring again')

    def test_releases_that_cannot_clear_keep_rings(self):
        for release in ('2.1', '2.5', '2.7'):
            dumps, whole = self.recorded(WHOLE + 'train(17)', env={'STANDIN_RELEASE': release})
            self.assertEqual({tuple(side['ring']['behindUs']) for _, side in dumps}, {(None,)}, release)
            self.assertEqual(self.unmarked(dumps[-1][0]), whole)


if __name__ == '__main__':
    unittest.main()
