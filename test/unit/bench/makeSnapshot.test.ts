import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Truth } from '../../../bench/makeSnapshot.js';
import { deviceTotals } from '../../../src/core/digest/digest.js';
import { hasPython } from '../../support/bruteForce.js';
import { columnsOf } from '../../support/columns.js';
import { repositoryRoot } from '../../support/repository.js';
import { readFile } from '../../support/snapshots.js';

/** Loads a pickle and dumps it again: equal bytes mean equal sharing, batches and frames. */
const DUMP_AGAIN = `
import pickle, sys
raw = open(sys.argv[1], 'rb').read()
snapshot = pickle.loads(raw)
assert pickle.dumps(snapshot, raw[1]) == raw, 'CPython writes other bytes'
for segment in snapshot['segments']:
    assert sum(block['size'] for block in segment['blocks']) == segment['total_size'], 'a segment has holes'
trace = snapshot['device_traces'][0]
assert 0.3 < sum(1 for event in trace if event['frames']) / len(trace) < 0.45, 'too few or too many stacks'
`;

describe('The snapshots that the benchmark makes', () => {
  let folder: string;
  let path: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-bench-'));
    path = make('one.pickle');
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  function make(name: string, dialect = 'protocol4'): string {
    const file = join(folder, name);
    const script = join(repositoryRoot(), 'bench/makeSnapshot.ts');
    execFileSync(process.execPath, ['--import', 'tsx', script, '20000', '30', file, dialect], {
      cwd: repositoryRoot(),
    });
    return file;
  }

  it('have the bytes that CPython would write', function () {
    if (!hasPython()) this.skip();
    for (const file of [path, make('two.pickle', 'protocol2')]) {
      execFileSync('python3', ['-c', DUMP_AGAIN, file], { stdio: 'pipe' });
    }
  });

  it('have the content of PyTorch’s C++ writer', async () => {
    const file = make('cpp.pickle', 'cpp');
    const [written, expected] = [await readFile(file), await readFile(path)];
    assert.deepEqual(columnsOf({ ...written, fileBytes: 0 }), columnsOf({ ...expected, fileBytes: 0 }));
    assert.ok(statSync(file).size < statSync(path).size);
  });

  it('have the declared events and bytes', async () => {
    const truth = JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Truth;
    const snapshot = await readFile(path);
    assert.equal(snapshot.events.count, truth.events);
    assert.equal(deviceTotals(snapshot)[0].liveBytes, truth.liveBytes);
    assert.equal(snapshot.fileBytes, truth.bytes);
    assert.ok(truth.events >= 20_000 && truth.liveBytes > 0);
    assert.deepEqual(snapshot.warnings, []);
  });

  it('are the same each time', () => {
    assert.ok(readFileSync(path).equals(readFileSync(make('two.pickle'))));
  });
});
