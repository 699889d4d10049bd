import assert from 'node:assert/strict';
import { nameAndLine } from '../../../src/core/text/pathText.js';

describe('The name of a line', () => {
  const named = (file: string): string => nameAndLine({ file, line: 7 });

  it('has no folders in the program', () => {
    assert.equal(named('src/models/net.py'), 'net.py:7');
    assert.equal(named('C:\\work\\train.py'), 'train.py:7');
  });

  it('has the package in a library, whose files have names of the user’s files', () => {
    assert.equal(named('/venv/lib/python3.11/site-packages/torchmetrics/metric.py'), 'torchmetrics/metric.py:7');
    assert.equal(named('C:\\venv\\Lib\\site-packages\\lightning\\pytorch\\trainer.py'), 'lightning/…/trainer.py:7');
    assert.equal(named('/usr/lib/python3.12/asyncio/base_events.py'), 'asyncio/base_events.py:7');
    assert.equal(named('/usr/lib/python3/dist-packages/six.py'), 'six.py:7');
    assert.equal(named('/usr/lib/python3.12/runpy.py'), 'runpy.py:7');
  });
});
