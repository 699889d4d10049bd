import assert from 'node:assert/strict';
import { changes, goldens } from '../../../bench/goldens.js';
import { judgeProgram, PLANTED, recordedPrograms, type Judged } from '../../../bench/planted.js';

const ACCUSED = ['leak', 'cycle'];
/** Every program is judged in every mode, after each of several numbers of steps. */
const MAX_MS = 600_000;

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
    for (const { program } of recorded.filter(({ program: { blind } }) => blind !== true)) {
      const [last] = (judged.get(program.name) ?? []).filter(
        ({ mode, steps }) => mode === 'recorder and source' && steps === Infinity,
      );
      const lines = last.runs.flatMap((run) => run.lines);
      if (program.silent) {
        const accused = lines.filter((line) => ACCUSED.includes(line.verdict));
        assert.deepEqual(
          accused.map((line) => `${program.name}: ${line.file}:${line.line}`),
          [],
        );
        continue;
      }
      for (const planted of program.lines.filter(({ verdict }) => ACCUSED.includes(verdict))) {
        const line = lines.find(
          (one) => one.line === planted.line && planted.file.endsWith(one.file.split('/').at(-1) ?? ''),
        );
        // The goldens have the verdicts on leaks that nothing proves.
        if (program.unproved === true) assert.notEqual(line, undefined);
        else assert.equal(line?.verdict, planted.verdict, `${program.name}: ${planted.file}:${planted.line}`);
      }
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
