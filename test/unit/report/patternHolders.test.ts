import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { mock } from 'node:test';
import { plantedSources } from '../../../bench/planted.js';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import type { LineReport } from '../../../src/core/report/report.js';
import type { ReportWorkspace } from '../../../src/core/report/reportWorkspace.js';
import { ReportsFromSources } from '../../../src/core/report/sources/reportFromSources.js';
import { IGNORE_FILE } from '../../../src/core/report/ignoredLeaks.js';
import { openFile } from '../../../src/node/fileSource.js';
import { readIgnoreFile } from '../../../src/node/ignoreFile.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { SourceCache, SourceFiles } from '../../../src/node/sourceFiles.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';
import { applied } from '../../support/sourceEdits.js';

/** A file of the kernel that claims to be empty. */
const ENDLESS = '/proc/self/pagemap';
const FOLDER = join(FIXTURES, 'planted');
const ROOTS = [{ prefix: '', folder: FOLDER }];
const { lineText, sourceText, sourceFacts } = new SourceFiles(ROOTS);
const WORKSPACE = { files: plantedSources(FOLDER), rules: [], lineText, sourceText, sourceFacts };

async function digestsOf(name: string, withSources = false): Promise<SnapshotDigest[]> {
  return await Promise.all(
    picklesUnder(join(FOLDER, 'recordings', name)).map(async (path) => {
      const recording = withSources ? await readRecording(path) : null;
      const blind = recording === null ? null : { ...recording, owners: [] };
      return digestSnapshot(path, await readFile(path), blind);
    }),
  );
}

async function linesOf(
  digests: readonly SnapshotDigest[],
  changed: Partial<ReportWorkspace> = {},
): Promise<LineReport[]> {
  const { report } = await new ReportsFromSources().report(digests, {
    ...WORKSPACE,
    ...changed,
  });
  return report.runs.flatMap((run) => run.lines);
}

describe('Holders from the source', () => {
  it('are looked for once per place, whatever the number of ranks', async () => {
    const digests = await digestsOf('metric_logger');
    const job = Array.from({ length: 64 }, (_, rank) =>
      digests.map((digest) => ({ ...digest, path: `job/rank${rank}/${basename(digest.path)}` })),
    );
    const ask = async (ranks: typeof job) => {
      // As the report loads it.
      const { Machine } = await import('../../../src/core/retention/interpret/machine.js');
      const count = mock.method(Machine.prototype, 'count');
      const { report } = await new ReportsFromSources().report(ranks.flat(), WORKSPACE);
      const expressions = count.mock.callCount();
      count.mock.restore();
      return { expressions, lines: report.runs.map(({ lines }) => lines) };
    };
    const alone = await ask(job.slice(0, 1));
    const all = await ask(job);
    assert.ok(alone.expressions > 0);
    assert.equal(all.expressions, alone.expressions);
    assert.equal(all.lines.length, 64);
    for (const lines of all.lines) assert.deepEqual(lines, alone.lines[0]);
  });

  it('follow the recorder’s, with the remedy if both name the same statement', async () => {
    const digests = await Promise.all(
      picklesUnder(join(FOLDER, 'recordings/aux_loss')).map(async (path) =>
        digestSnapshot(path, await readFile(path), await readRecording(path)),
      ),
    );
    const lines = (await linesOf(digests)).filter(({ verdict }) => verdict === 'leak');
    assert.ok(lines.length > 0);
    for (const { holder } of lines) {
      assert.equal(holder?.source, 'recorder');
      assert.match(holder.fix ?? '', /\.detach\(\)/);
      assert.ok(holder.edit !== null);
      assert.equal(
        applied(holder.edit, readFileSync(join(FOLDER, holder.edit.file), 'utf8')).line,
        "history['aux'].append(aux_loss.detach())",
      );
    }
  });

  it('are those of the recorder that keep most together, by one name and statement', async () => {
    const [path] = picklesUnder(join(FOLDER, 'recordings/endless_replay')).slice(-1);
    const recording = await readRecording(path);
    const [owner] = recording?.owners ?? [];
    assert.ok(recording !== null);
    const [site] = owner.allocatedAt;
    // A list of modules: each is an owner. A variable has one of them, and a bit more.
    const part = (share: number): typeof owner => ({
      ...owner,
      bytes: share * site.bytes,
      allocatedAt: [{ ...site, bytes: share * site.bytes }],
    });
    const rival = { ...part(0.3), name: 'optimizer', place: { file: owner.place?.file ?? '', line: 1 } };
    const digestOf = async (owners: (typeof owner)[]): Promise<SnapshotDigest> =>
      digestSnapshot(path, await readFile(path), { ...recording, owners });
    const nameOf = async (owners: (typeof owner)[]): Promise<string | undefined> =>
      (await linesOf([await digestOf(owners)])).find(({ line }) => line === site.line)?.holder?.name;
    assert.equal(await nameOf([rival, part(0.2), part(0.2), part(0.2)]), owner.name);
    assert.equal(await nameOf([rival, part(0.2)]), 'optimizer');
  });

  it('offer an edit that detaches, with the lines that it needs', async () => {
    for (const [name, after] of [
      ['aux_loss', "history['aux'].append(aux_loss.detach())"],
      ['running_total', 'total_drift += drift(student, teacher, inputs).detach()'],
      ['failed_batches', 'errors.append(error.with_traceback(None))'],
    ]) {
      const holders = (await linesOf(await digestsOf(name))).flatMap(({ holder }) => holder ?? []);
      assert.ok(holders.length > 0, name);
      for (const { edit, source, line } of holders) {
        assert.equal(source, 'pattern');
        assert.ok(edit !== null, name);
        const text = readFileSync(join(FOLDER, edit.file), 'utf8');
        assert.equal(applied(edit, text).line, after);
        assert.deepEqual(edit.lines, [{ line: line - 1, text: text.split('\n')[line - 1] }]);
      }
    }
  });

  it('offer no edit that may change learning', async () => {
    for (const name of ['hidden_state', 'running_variance', 'fast_weights', 'replay_memory', 'prediction_list']) {
      const holders = (await linesOf(await digestsOf(name))).flatMap(({ holder }) => holder ?? []);
      assert.ok(holders.length > 0, name);
      for (const { edit, fix } of holders) {
        assert.equal(edit, null, name);
        assert.ok(fix !== null);
      }
    }
  });

  it('offer no edit of a file that differs from the one that ran', async () => {
    const digests = await digestsOf('aux_loss', true);
    const before = (await linesOf(digests)).flatMap(({ holder }) => holder ?? []);
    assert.ok(before.length > 0 && before.every(({ edit }) => edit !== null));
    const longer = (file: string): string | null => {
      const text = sourceText(file);
      return text === null ? null : `${text}# more\n`;
    };
    const facts = (file: string): { sha256: string; savedAtUs: number } => ({
      sha256: createHash('sha256')
        .update(longer(file) ?? '')
        .digest('hex'),
      savedAtUs: 0,
    });
    const changed = { sourceText: longer, sourceFacts: facts };
    const after = (await linesOf(digests, changed)).flatMap(({ holder }) => holder ?? []);
    assert.deepEqual(
      after.map(({ line, edit }) => ({ line, edit })),
      before.map(({ line }) => ({ line, edit: null })),
    );
  });

  it('are those of the file as it is, and none where it cannot be read', async () => {
    const digests = await digestsOf('running_total');
    const cured = (file: string): string | null =>
      sourceText(file)?.replace(/total_drift \+= (.*)$/m, 'total_drift += $1.item()') ?? null;
    const holders = async (text: (file: string) => string | null): Promise<unknown[]> =>
      (await linesOf(digests, { sourceText: text })).flatMap(({ holder }) => holder ?? []);
    assert.equal((await holders(sourceText)).length, 3);
    assert.deepEqual(await holders(cured), []);
    assert.deepEqual(await holders(() => null), []);
    assert.deepEqual(await holders(() => '(((('), []);
  });
});

describe('Source files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leakline-sources-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it('are read again when they change, and only then', async () => {
    const path = join(folder, 'a.py');
    const cache = new SourceCache();
    const text = (file: string): string | null =>
      new SourceFiles([{ prefix: 'w/', folder }], {}, cache).sourceText(file);
    await writeFile(path, 'x = 1\n');
    await utimes(path, 1000, 1000);
    assert.equal(text('w/a.py'), 'x = 1\n');
    await writeFile(path, 'x = 2\n');
    await utimes(path, 1000, 1000);
    assert.equal(text('w/a.py'), 'x = 1\n');
    await utimes(path, 2000, 2000);
    assert.equal(text('w/a.py'), 'x = 2\n');
    assert.equal(text('w/b.py'), null);
    assert.equal(text('a.py'), null);
  });

  it('are not read beyond their size, which is 0 for endless files of the kernel', async function () {
    if (!existsSync(ENDLESS)) this.skip();
    await symlink(ENDLESS, join(folder, 'a.py'));
    assert.equal(new SourceFiles([{ prefix: '', folder }]).sourceText('a.py'), '');
    await symlink(ENDLESS, join(folder, IGNORE_FILE));
    await assert.rejects(readIgnoreFile(folder), /leakline\.json cannot be read and has no effect: /);
    const file = await openFile(join(folder, 'a.py'));
    assert.equal(await file.source.read(0, new Uint8Array(8)), 0);
    await file.close();
  });

  it('are decoded as Python decodes them', async () => {
    const read = async (bytes: Buffer): Promise<string | null> => {
      await writeFile(join(folder, 'b.py'), bytes);
      return new SourceFiles([{ prefix: '', folder }]).sourceText('b.py');
    };
    assert.equal(await read(Buffer.from('\uFEFFx = "ü"')), 'x = "ü"');
    assert.equal(
      await read(Buffer.from('# -*- coding: latin-1 -*-\nx = "ü"', 'latin1')),
      '# -*- coding: latin-1 -*-\nx = "ü"',
    );
    assert.equal(await read(Buffer.from('# coding: no-such-thing\nx = 1')), '# coding: no-such-thing\nx = 1');
    assert.equal(await read(Buffer.from([0x78, 0xff, 0x79])), 'x\uFFFDy');
  });
});
