/** docs/verdicts.md, made of the tables of rules: `npm run verdicts` writes it anew, and a test compares. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANCE_RULES, LIFETIME_RULES, SERIES_RULES } from '../src/core/verdict/rules.js';
import { THRESHOLDS, type Threshold } from '../src/core/verdict/thresholds.js';

export const VERDICT_TABLE = join(import.meta.dirname, '../docs/verdicts.md');

interface Row {
  readonly name: string;
  readonly seen: string;
  readonly verdict: string;
  readonly thresholds: readonly string[];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function rules(rows: readonly Row[]): string {
  return table(
    ['rule', 'seen', 'verdict', 'thresholds'],
    rows.map(({ name, seen, verdict, thresholds }) => [`\`${name}\``, seen, `\`${verdict}\``, thresholds.join(', ')]),
  );
}

/** The text of docs/verdicts.md. */
export function verdictTable(): string {
  return `<!-- Made by npm run verdicts. Do not edit: edit src/core/verdict/rules.ts and thresholds.ts. -->

# Verdicts

Each table is read from the top: the first rule that holds decides. A stack gets a shape, a line the worst shape of its
stacks. Growth that \`lasting\` names is a leak or not as the chances of release say: a leak is what every known release has
left alive, or what nothing can release.

## Shapes by lifetimes

Where a trace shows how long allocations lived.

${rules(LIFETIME_RULES)}

## Shapes by snapshots

Where no trace does.

${rules(SERIES_RULES)}

## Lasting growth

${rules(CHANCE_RULES)}

A chance is a release, a bound, a loop around the steps that comes round, or a loop that follows. It has passed if it came,
and memory of before is still live; else it is pending. Chances come from the source, from the recorder's counts and from
the frees in the trace. Without source and recorder nothing is a leak.

## Thresholds

\`npm run thresholds\` moves each by 30 %. _Fixed by_ names a planted program whose report changes then,
where one was found.

${table(
  ['threshold', 'value', 'unit', 'of', 'fixed by'],
  Object.entries<Threshold>(THRESHOLDS).map(([name, { value, unit, of, fixedBy }]) => [
    name,
    String(value),
    unit,
    of,
    fixedBy ?? '',
  ]),
)}

`;
}

if (process.argv.includes('--write')) writeFileSync(VERDICT_TABLE, verdictTable());
