import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnalysisEngine } from '../../../src/extension/engine/analysisEngine.js';
import { systemClock } from '../../../src/extension/intake/ports.js';
import { startThread, type Thread } from '../../../src/node/thread.js';
import type { Translations } from '../../../src/core/text/translate.js';
import type { WorkerStart } from '../../../src/protocol/workerApi.js';
import { eventually } from '../../support/eventually.js';
import { makeSnapshotFile } from '../../support/madeSnapshot.js';
import { mortalThread } from '../../support/mortalThread.js';
import { builtProgram, repositoryRoot } from '../../support/repository.js';
import { FIXTURES } from '../../support/snapshots.js';

const SMALL = join(FIXTURES, 'shapes/t213.p4.pickle');

describe('The real worker as the extension runs it', () => {
  let folder: string;
  /** Each test has its own folder: a worker that was ended may still write. */
  let columns: string;
  let large: string;
  let threads: Thread[];
  let told: string[];
  /** Ends the worker that tells its progress on a file. */
  let isFatal: (path: string) => boolean;
  let engine: AnalysisEngine;
  /** The language and the scripts of workers that are not started yet. */
  let translations: Translations;
  let [readerScript, workerScript]: string[] = [];

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-worker-'));
    [readerScript, workerScript] = ['reader.cjs', 'worker.cjs'].map(builtProgram);
    large = join(folder, 'large.pickle');
    makeSnapshotFile(large, 200_000);
    age(large);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    threads = [];
    told = [];
    isFatal = () => false;
    translations = {};
    columns = join(mkdtempSync(join(folder, 'cache-')), 'columns');
    const start: WorkerStart = {
      readerScript,
      readers: 2,
      reading: { cache: { folder: columns, maxBytes: 2 ** 26 }, timeLimitMs: 60_000 },
      translations,
    };
    engine = new AnalysisEngine(
      () => {
        const worker = startThread(workerScript, 'test worker', { ...start, translations });
        threads.push(mortalThread(worker, (file) => isFatal(file)));
        return threads[threads.length - 1];
      },
      systemClock,
      {
        progress: () => undefined,
        ended: (message, again) => told.push(`${message} ${again}`),
        restored: (lost) => told.push(`lost ${lost.join()}`),
      },
    );
  });
  afterEach(() => engine.dispose());

  function kept(): string[] {
    return existsSync(columns) ? readdirSync(columns).filter((name) => name.endsWith('.columns')) : [];
  }

  it('loads several files at once and reports on all of them', async () => {
    const files = ['t213.p4', 't22.p4', 'ctx_state.p4'].map((name) => join(FIXTURES, 'shapes', `${name}.pickle`));
    await Promise.all(files.map((path) => engine.call('load', { path })));
    const { report } = await engine.call('report', null);
    assert.deepEqual(report.runs.flatMap(({ snapshots }) => snapshots.map(({ path }) => path)).sort(), files.sort());
  });

  it('reports its end during a reading, restarts with the known files, and reads the file again', async () => {
    await engine.call('load', { path: SMALL });
    isFatal = (path) => threads.length === 1 && path === large;
    await assert.rejects(engine.call('load', { path: large }), {
      reason: 'closed',
      message: /^The snapshot reader stopped unexpectedly \(exit code \d+\)\.$/,
    });
    const { read } = await engine.call('load', { path: SMALL });
    assert.equal(read, false, 'it was read again before anybody asked');
    assert.equal(threads.length, 2);
    assert.match(told.join('\n'), /^The snapshot reader stopped unexpectedly \(exit code \d+\)\. true\nlost $/);
    const { snapshots } = await engine.call('load', { path: large });
    assert.deepEqual(
      snapshots.map((snapshot) => snapshot.path),
      [large],
    );
  });

  it('loses nothing when it is killed ten times during a reading', async () => {
    const files = ['t213.p4', 't22.p4', 'ctx_state.p4'].map((name) => join(FIXTURES, 'shapes', `${name}.pickle`));
    await Promise.all(files.map((path) => engine.call('load', { path })));
    for (let kills = 1; kills <= 10; kills++) {
      isFatal = (path) => threads.length === kills && path === large;
      await assert.rejects(engine.call('load', { path: large }), { reason: 'closed' });
      engine.revive();
      await eventually(() => {
        assert.equal(threads.length, kills + 1);
      });
    }
    await engine.call('load', { path: large });
    const { report } = await engine.call('report', null);
    const found = report.runs.flatMap(({ snapshots }) => snapshots.map(({ path }) => path));
    assert.deepEqual(found.sort(), [...files, large].sort());
    assert.ok(
      told.every((text) => !/^lost ./.test(text)),
      told.join('\n'),
    );
  });

  it('uses the language of its start, also for cached texts of another one', async () => {
    const german = JSON.parse(readFileSync(join(repositoryRoot(), 'l10n/bundle.l10n.de.json'), 'utf8')) as Translations;
    // Large enough to be kept, for JSON may end in spaces.
    const path = join(folder, 'traceless.json');
    const block = { address: 0x7f0000000000, size: 2 ** 21, requested_size: 2 ** 21, state: 'active_allocated' };
    const segment = { ...block, device: 0, total_size: 2 ** 21, stream: 0, segment_type: 'large', blocks: [block] };
    writeFileSync(path, JSON.stringify({ segments: [segment], device_traces: [[]] }) + ' '.repeat(2 ** 20));
    age(path);
    const warnings = async (): Promise<string[]> => {
      const { snapshots } = await engine.call('load', { path });
      return snapshots.flatMap((snapshot) => snapshot.warnings.map(({ message }) => message));
    };
    const english = await warnings();
    assert.match(english.join('\n'), /record/);
    await eventually(() => {
      assert.equal(kept().length, 1);
    });
    translations = german;
    await threads[0].terminate();
    await eventually(() => {
      assert.equal(threads.length, 2);
    });
    const told = await warnings();
    assert.equal(told.length, english.length);
    for (const [i, text] of told.entries()) assert.notEqual(text, english[i]);
    await assert.rejects(engine.call('load', { path: join(folder, 'none.pickle') }), {
      reason: 'unreadable',
      message: /none\.pickle kann nicht gelesen werden: Es gibt keine solche Datei\. Den Pfad prüfen\.$/,
    });
  });

  it('stores readings, forgets them on request, and follows new settings', async () => {
    await engine.call('load', { path: large });
    await eventually(() => {
      assert.equal(kept().length, 1);
    });
    await engine.call('clearCache', null);
    assert.ok(!existsSync(columns));
    await engine.call('configure', { cache: null, timeLimitMs: 1 });
    await engine.call('unload', { path: large });
    await assert.rejects(engine.call('load', { path: large }), { reason: 'limit', message: /was not read within/ });
    assert.ok(!existsSync(columns));
  });
});

/** Files that were just written are not kept. */
function age(path: string): void {
  const then = Date.now() / 1000 - 60;
  utimesSync(path, then, then);
}
