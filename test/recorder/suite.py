"""Run test modules in this process; the last line of standard output counts them as JSON."""
from __future__ import annotations

import json
import sys
import unittest


def main() -> None:
    tests = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[1:])
    result = unittest.TextTestRunner(stream=sys.stderr, verbosity=1).run(tests)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    skipped = len(result.skipped)
    print(json.dumps({'passed': result.testsRun - failed - skipped, 'failed': failed, 'skipped': skipped}))


if __name__ == '__main__':
    main()
