import assert from 'node:assert/strict';
import { join } from 'node:path';
import { changes, goldens } from '../../../bench/goldens.js';
import { judgeProgram, PLANTED, recordedPrograms, type Judged, type PlantedProgram } from '../../../bench/planted.js';
import { FIXTURES } from '../../support/snapshots.js';

const ACCUSED = ['leak', 'cycle'];
/** Every program is judged in every mode, after each of several numbers of steps. */
const MAX_MS = 600_000;

/** All lines that leak are named, and no line of a program that must stay silent. */
function expectVerdicts({ name, silent, blind, unproved, lines: planted }: PlantedProgram, { runs }: Judged): void {
  if (blind === true) return;
  const lines = runs.flatMap((run) => run.lines);
  if (silent) {
    const accused = lines.filter((line) => ACCUSED.includes(line.verdict));
    assert.deepEqual(
      accused.map((line) => `${name}: ${line.file}:${line.line}`),
      [],
    );
    return;
  }
  for (const { file, line, verdict } of planted.filter((one) => ACCUSED.includes(one.verdict))) {
    const found = lines.find((one) => one.line === line && file.endsWith(one.file.split('/').at(-1) ?? ''));
    // The goldens have the verdicts on leaks that nothing proves.
    if (unproved === true) assert.notEqual(found, undefined);
    else assert.equal(found?.verdict, verdict, `${name}: ${file}:${line}`);
  }
}

describe('The planted programs', () => {
  const recorded = recordedPrograms(PLANTED);
  const judged = new Map<string, Judged[]>();

  before(async function () {
    this.timeout(MAX_MS);
    if (recorded.length === 0) {
      console.log('    skipped: no recordings under test/fixtures/planted');
      this.skip();
    }
    for (const one of recorded) judged.set(one.program.name, await judgeProgram(one));
  });

  it('have the verdicts of the goldens, in every mode (npm run accuracy -- --update writes them again)', () => {
    assert.deepEqual(changes(goldens(judged)), []);
  });

  it('are named where they leak, and left alone where they do not', () => {
    for (const { program } of recorded) {
      const [last] = (judged.get(program.name) ?? []).filter(
        ({ mode, steps }) => mode === 'recorder and source' && steps === Infinity,
      );
      expectVerdicts(program, last);
    }
  });

  it('have the same verdicts on a GPU, and no look-alike is accused after fewer steps', async () => {
    const onGpu = recordedPrograms(PLANTED, join(FIXTURES, 'gpu/recordings'));
    assert.ok(onGpu.length > 20);
    for (const one of onGpu) {
      for (const report of await judgeProgram(one, ['recorder and source']))
        if (one.program.silent || report.steps === Infinity) expectVerdicts(one.program, report);
    }
  });

  it('have holders only for lines that allocate memory themselves', () => {
    for (const [name, all] of judged) {
      for (const { mode, steps, runs } of all) {
        for (const { line, series, holder } of runs.flatMap((run) => run.lines)) {
          if (holder === null) continue;
          assert.ok(
            series.some((bytes) => bytes > 0),
            `${name}:${line}, ${mode}, ${steps} steps`,
          );
        }
      }
    }
  });

  it('have the right holders by the source alone', () => {
    let named = 0;
    for (const { program } of recorded) {
      const places = program.holder == null ? [] : [program.holder, ...(program.holder.also ?? [])];
      const [last] = (judged.get(program.name) ?? []).filter(
        ({ mode, steps }) => mode === 'source' && steps === Infinity,
      );
      const found = last.runs.flatMap((run) => run.lines).flatMap(({ holder }) => holder ?? []);
      for (const { file, line } of found) {
        const isRight = places.some((place) => place.line === line && place.file.endsWith(file));
        assert.ok(isRight, `${program.name}: ${file}:${line}`);
      }
      if (found.length > 0) named++;
    }
    assert.ok(named > recorded.length / 3, `${named} programs`);
  });
});
