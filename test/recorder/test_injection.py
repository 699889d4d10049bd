"""A line of Python runs in another process, and nothing else in it changes."""
from __future__ import annotations

import ctypes
import glob
import os
import signal
import subprocess
import sys
import time
import unittest

from leakline import injection
from leakline.functions import address_of
from leakline.traced import TraceError, stopped

#: Arithmetic in registers, a wait of each kind, threads and signals, until a line has set `end`.
BUSY = '''
import hashlib, math, select, signal, threading, time
end, ran, alarms = False, 0, []
signal.signal(signal.SIGALRM, lambda number, frame: alarms.append(number))
signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)

def numbers(rounds):
    text = hashlib.sha256()
    for number in range(rounds):
        text.update(repr(math.fsum(math.sin(part + number) ** 1.5 for part in range(1, 60) if math.sin(part + number) > 0)).encode())
    return text.hexdigest()

expected, others = numbers(40), []

def work():
    while not end:
        others.append(numbers(40) == expected)

threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
print(flush=True)
results, waits = [], 0
while not end:
    results.append(numbers(40) == expected)
    began = time.monotonic()
    time.sleep(0.004)
    select.select([], [], [], 0.004)
    threading.Event().wait(0.004)
    waits += time.monotonic() - began < 0.012
signal.setitimer(signal.ITIMER_REAL, 0)
for thread in threads:
    thread.join()
print(all(results) and all(others) and len(results) > 3, waits, ran, len(alarms) > 10)
'''


def reason():
    """Why no process can be traced here; '' if one can."""
    if sys.platform != 'linux':
        return 'needs Linux'
    try:
        injection.run_line(os.getpid(), '')
    except TraceError as error:
        return '' if 'not be traced' in str(error) else str(error)
    return ''


class InjectionTest(unittest.TestCase):
    def start(self, text, python=sys.executable):
        running = subprocess.Popen([python, '-c', text], stdout=subprocess.PIPE, text=True)
        self.addCleanup(running.communicate)
        self.addCleanup(running.kill)
        self.assertEqual(running.stdout.readline(), '\n')
        return running

    def test_in_each_python_of_this_machine(self):
        for python in sorted(glob.glob(os.path.expanduser('~/.pyenv/versions/3.*/bin/python'))) or [sys.executable]:
            with self.subTest(python):
                running = self.start('import time\nprint(flush=True)\nwhile True: time.sleep(0.01)', python)
                injection.run_line(running.pid, 'import os; os._exit(7)')
                self.assertEqual(running.wait(60), 7)

    def test_many_lines_disturb_no_number_and_no_wait(self):
        running = self.start(BUSY)
        times = int(os.environ.get('LEAKLINE_LINES', '100'))
        for line in times * ['__main__.ran += 1'] + ['__main__.end = True']:
            while True:
                time.sleep(0.003)
                try:
                    injection._inject(running.pid, f'import __main__; {line}')
                    break
                except TraceError as error:    # on a busy machine, the process runs its calls more slowly than they come
                    self.assertIn('too many pending calls', str(error))
        out, _ = running.communicate(timeout=120)
        self.assertEqual((out, running.returncode), (f'True 0 {times} True\n', 0))

    def test_functions_are_where_the_linker_found_them(self):
        with open('/proc/self/mem', 'rb', buffering=0) as memory:
            for name in ('Py_AddPendingCall', 'PyRun_SimpleString'):
                expected = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
                self.assertEqual(address_of(os.getpid(), memory, name), expected)
            self.assertIsNone(address_of(os.getpid(), memory, 'PyRun_SimplerString'))

    def test_a_call_that_fails_is_undone(self):
        running = self.start('import time\nprint(flush=True)\nfor _ in range(100): time.sleep(0.01)\nprint("end")')
        with self.assertRaisesRegex(TraceError, 'failed in a call'), stopped(running.pid) as thread:
            thread.call(4096)    # no code is there
        self.assertEqual((running.communicate(timeout=60)[0], running.returncode), ('end\n', 0))

    def test_what_is_refused(self):
        other = subprocess.Popen(['sleep', '60'])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        with self.assertRaisesRegex(TraceError, 'no CPython'):
            injection.run_line(other.pid, '')
        deaf = self.start('import signal, time\nsignal.signal(signal.SIGSEGV, signal.SIG_IGN)\nprint(flush=True)\ntime.sleep(60)')
        with self.assertRaisesRegex(TraceError, 'ignores SIGSEGV'):
            injection.run_line(deaf.pid, '')
        deaf.send_signal(signal.SIGKILL)
        deaf.wait()
        with self.assertRaisesRegex(TraceError, 'has ended'):
            injection.run_line(deaf.pid, '')


REASON = reason()
if REASON:
    InjectionTest = unittest.skip(REASON)(InjectionTest)

if __name__ == '__main__':
    unittest.main()
