/**
 * How well leaks are told from innocents: `npm run accuracy`. Every planted program's recording is judged as it looked
 * after its first steps, with and without the recorder's word, the programs' source, and traces. Each report has an engine
 * of its own. Known blind spots are counted apart. Names of programs restrict it to these; `--update` writes the
 * goldens again.
 */
import type { LineReport } from '../src/core/report/report.js';
import { changes, goldens, writeGoldens } from './goldens.js';
import {
  COLUMNS,
  judgeProgram,
  MODES,
  PLANTED,
  recordedPrograms,
  type Judged,
  type Mode,
  type PlantedProgram,
} from './planted.js';

const ACCUSED = new Set(['leak', 'cycle']);

function isNamed(program: PlantedProgram, lines: readonly LineReport[]): boolean {
  return program.lines.some(({ file, line, verdict }) =>
    lines.some((found) => found.line === line && found.file.endsWith(file) && found.verdict === verdict),
  );
}

function holdersOf({ holder }: PlantedProgram): { file: string; line: number }[] {
  return holder == null ? [] : [holder, ...(holder.also ?? [])];
}

function isHeld(program: PlantedProgram, lines: readonly LineReport[], isRight: boolean): boolean {
  const right = holdersOf(program);
  return lines.some(
    ({ holder }) =>
      holder !== null && right.some(({ file, line }) => holder.line === line && holder.file.endsWith(file)) === isRight,
  );
}

/** Lines that are accused in a program that leaks, and not among those that it plants. */
function strangers(program: PlantedProgram, lines: readonly LineReport[]): LineReport[] {
  return lines.filter(
    (one) =>
      ACCUSED.has(one.verdict) && !program.lines.some(({ file, line }) => one.line === line && one.file.endsWith(file)),
  );
}

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const recorded = recordedPrograms(PLANTED).filter(
  ({ program: { name } }) => wanted.length === 0 || wanted.includes(name),
);
if (recorded.length === 0) {
  console.log('skipped: no recordings under test/fixtures/planted/recordings');
  process.exit(0);
}
const began = performance.now();
const judged = new Map<string, Judged[]>();
for (const one of recorded) judged.set(one.program.name, await judgeProgram(one));

const isLeaking = ({ lines }: PlantedProgram): boolean => lines.some(({ verdict }) => ACCUSED.has(verdict));
const leaking = recorded.map(({ program }) => program).filter((one) => isLeaking(one) && one.blind !== true);
const silent = recorded.map(({ program }) => program).filter((one) => one.silent && one.blind !== true);
const blind = recorded.map(({ program }) => program).filter((one) => one.blind === true);
const blindLeaks = blind.filter((one) => !one.silent);
console.log(
  `${leaking.length} programs that leak, ${silent.length} that must stay silent, ${blind.length} blind spots.\n`,
);
console.log(
  '| available | after steps | leaks named | falsely accused | other lines accused | blind spots named, accused | holder named | wrong holder |',
);
console.log('| :-- | --: | --: | --: | --: | --: | --: | --: |');
const wrong: string[] = [];
for (const mode of Object.keys(MODES) as Mode[]) {
  for (const steps of COLUMNS) {
    const linesOf = ({ name }: PlantedProgram): LineReport[] =>
      (judged.get(name) ?? [])
        .filter((one) => one.mode === mode && one.steps === steps)
        .flatMap(({ runs }) => runs.flatMap((run) => run.lines));
    const isAccused = (program: PlantedProgram): boolean =>
      linesOf(program).some(({ verdict }) => ACCUSED.has(verdict));
    const which = (
      programs: readonly PlantedProgram[],
      ask: (program: PlantedProgram) => boolean,
      what: string,
    ): string => {
      const found = programs.filter(ask);
      if (steps === Infinity && what !== '' && found.length > 0)
        wrong.push(`${mode}, ${what}: ${found.map(({ name }) => name).join(', ')}`);
      return String(found.length);
    };
    const missed = which(leaking, (one) => !isNamed(one, linesOf(one)), 'not named');
    const cells = [
      mode,
      steps === Infinity ? 'all' : steps,
      `${leaking.length - Number(missed)}/${leaking.length}`,
      `${which(silent, isAccused, 'falsely accused')}/${silent.length}`,
      which(leaking, (one) => strangers(one, linesOf(one)).length > 0, 'other lines accused'),
      `${which(blindLeaks, isAccused, '')}/${blindLeaks.length}, ${which(
        blind.filter((one) => one.silent),
        isAccused,
        '',
      )}/${blind.length - blindLeaks.length}`,
      `${which(leaking, (one) => isHeld(one, linesOf(one), true), '')}/${leaking.length}`,
      which([...leaking, ...silent], (one) => isHeld(one, linesOf(one), false), 'wrong holder'),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
console.log(`\nWrong with all steps:\n${wrong.length === 0 ? 'none' : wrong.join('\n')}`);
console.log(`\nJudged in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
if (wanted.length > 0) process.exit(0);
const files = goldens(judged);
if (process.argv.includes('--update')) writeGoldens(files);
const different = changes(files);
console.log(different.length === 0 ? 'All as the goldens say.' : `Not as the goldens say:\n${different.join('\n')}`);
process.exitCode = different.length === 0 ? 0 : 1;
