"""Run test modules in this process; the last line of standard output is their results as JSON (``test/support/suiteResults.ts``).
LEAKLINE_GREP selects tests by class and name.
"""
from __future__ import annotations

import json
import os
import re
import sys
import unittest
from typing import Any, Dict, Iterator, List


class Result(unittest.TextTestResult):
    """Counts by the class of each test."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.groups: Dict[str, Dict[str, int]] = {}
        self.told: List[Dict[str, str]] = []

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self._count(test, 'passed')

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self._count(test, 'skipped')

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self._failed(test, err)

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self._failed(test, err)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._failed(test, err)

    def _failed(self, test: unittest.TestCase, err: Any) -> None:
        self._count(test, 'failed')
        self.told.append({'title': title(test), 'message': str(err[1])})

    def _count(self, test: unittest.TestCase, what: str) -> None:
        self.groups.setdefault(group(test), {'passed': 0, 'failed': 0, 'skipped': 0})[what] += 1


def group(test: unittest.TestCase) -> str:
    # What prepares a class or a module has no class of its own.
    return type(test).__name__ if isinstance(test, unittest.TestCase) else test.id()


def title(test: unittest.TestCase) -> str:
    return f'{group(test)} {test.id().rpartition(".")[2]}'


def tests_of(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from tests_of(one)
        else:
            yield one


def main() -> None:
    loaded = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[1:])
    wanted = re.compile(os.environ.pop('LEAKLINE_GREP', ''))
    tests = unittest.TestSuite(one for one in tests_of(loaded) if wanted.search(title(one)))
    result = unittest.TextTestRunner(stream=sys.stderr, verbosity=1, resultclass=Result).run(tests)
    print(json.dumps({'groups': result.groups, 'failures': result.told}))


if __name__ == '__main__':
    main()
