/** Whether the source is the one that ran, as far as functions tell it. */
import assert from 'node:assert/strict';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { LineReport } from '../../../src/core/report/report.js';
import type { SourceFacts } from '../../../src/core/report/reportWorkspace.js';
import { readModule } from '../../../src/core/python/readModule.js';
import { SourceFits } from '../../../src/core/report/lines/statement.js';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { pickle } from '../../support/plainPickle.js';
import { readBytes } from '../../support/snapshots.js';

const SOURCE = `import torch

def first(x):
    text = """
no indentation here
"""
    return (x +
  x)

class Net:
    size = 4

    @property
    def forward(self):
        def inner():
            return [i for i in range(3)]

        return inner()

    def twice(self):
        return 1

def twice():
    return 2
`.split('\n');

const lineText = (file: string, line: number): string | null => (file === 'net.py' ? (SOURCE[line - 1] ?? null) : null);

/** Functions and classes by their lines, read off the text above: the plain way. */
const SPANS: readonly [name: string, from: number, to: number][] = [
  ['first', 3, 8],
  ['Net', 10, 21],
  ['forward', 13, 18],
  ['inner', 15, 16],
  ['twice', 20, 21],
  ['twice', 23, 24],
];

/** @param savedAtUs of the file of the line, and of the one that calls it; the snapshot is of 1000 */
async function reportOn(
  line: number,
  name: string,
  savedAtUs = [0, 0],
): Promise<{ line: LineReport; texts: string[] }> {
  const frames = [
    { filename: '/job/net.py', line, name },
    { filename: '/job/main.py', line: 1, name: '<module>' },
  ];
  const block = { address: 512, size: 512, requested_size: 512, state: 'active_allocated', frames };
  const segment = { device: 0, address: 512, total_size: 512, stream: 0, blocks: [block] };
  const snapshot = await readBytes(
    pickle({
      segments: [segment],
      device_traces: [[{ action: 'alloc', addr: 512, size: 512, stream: 0, time_us: 1000, frames }]],
    }),
  );
  const sourceFacts = (file: string): SourceFacts => ({
    sha256: '0'.repeat(64),
    savedAtUs: savedAtUs[file === 'net.py' ? 0 : 1],
  });
  const workspace = { files: ['net.py', 'main.py'], rules: [], lineText, readModule, sourceFacts };
  const { report } = buildReport([digestSnapshot('a.pickle', snapshot, null, 5)], workspace);
  const options = { maxLines: 5 };
  return { line: report.runs[0].lines[0], texts: [renderText(report, options), renderMarkdown(report, options)] };
}

describe('A source', () => {
  it('is a different version where the recorded function does not enclose its line', () => {
    const fits = new SourceFits({ files: ['net.py'], rules: [], lineText, readModule });
    for (let line = 1; line <= SOURCE.length + 3; line++) {
      for (const name of new Set([...SPANS.map(([one]) => one), 'gone'])) {
        // No program runs an empty line.
        if (/^\s*(?:@|$)/.test(SOURCE[line - 1] ?? 'gone')) continue;
        const own = SPANS.filter(([one]) => one === name);
        const encloses = own.some(([, from, to]) => from <= line && line <= to);
        const expected = encloses ? null : { line: own.length === 1 ? own[0][1] : null };
        const found = fits.of({ file: 'net.py', line, function: name, mapped: true });
        assert.deepEqual(found, expected, `${name} at line ${line}`);
      }
    }
  });

  it('is not judged by names that no definition has, nor where the workspace lacks the file', () => {
    const fits = new SourceFits({ files: ['net.py'], rules: [], lineText, readModule });
    for (const name of ['<module>', '<lambda>', 'Net.forward']) {
      assert.equal(fits.of({ file: 'net.py', line: 1, function: name, mapped: true }), null, name);
    }
    assert.equal(fits.of({ file: 'net.py', line: 1, function: 'first', mapped: false }), null);
    assert.equal(fits.of({ file: 'other.py', line: 1, function: 'first', mapped: true }), null);
  });

  it('of a different version is in the report, with the place of the function', async () => {
    const { line, texts } = await reportOn(21, 'inner');
    assert.deepEqual([line.differs, line.statement], [{ line: 15 }, null]);
    for (const text of texts)
      assert.match(text, /net\.py is a different version: inner does not enclose line 21, it begins at line 15\./);
  });

  it('in a fresh clone is no different version, however young its files are', async () => {
    const { line, texts } = await reportOn(16, 'inner', [2000, 2000]);
    assert.deepEqual([line.differs, line.statement?.text], [null, 'return [i for i in range(3)]']);
    for (const text of texts) assert.doesNotMatch(text, /different version/);
  });

  it('has changed where it alone was written after the snapshot', async () => {
    const { line } = await reportOn(16, 'inner', [2000, 10]);
    assert.equal(line.statement, null);
    const { line: same } = await reportOn(16, 'inner', [10, 2000]);
    assert.equal(same.statement?.text, 'return [i for i in range(3)]');
  });
});
