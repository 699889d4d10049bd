/** The text of docs/verdicts.md. `npm run verdicts` writes it; a test compares it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIFETIME_RULES } from '../src/core/verdict/rules/lifetimes.js';
import { LINE_RULES } from '../src/core/verdict/rules/lines.js';
import { SERIES_RULES } from '../src/core/verdict/rules/snapshots.js';
import { THRESHOLDS, type Threshold } from '../src/core/verdict/thresholds.js';

export const VERDICT_TABLE = join(import.meta.dirname, '../docs/verdicts.md');

interface Row {
  readonly name: string;
  readonly seen: string;
  readonly verdict: string;
  readonly thresholds: readonly string[];
  readonly fixedBy?: string;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function rules(rows: readonly Row[]): string {
  return table(
    ['rule', 'observation', 'verdict', 'thresholds'],
    rows.map(({ name, seen, verdict, thresholds }) => [`\`${name}\``, seen, `\`${verdict}\``, thresholds.join(', ')]),
  );
}

function lineRules(rows: readonly Row[]): string {
  return table(
    ['rule', 'observation', 'verdict', 'thresholds', 'fixed by'],
    rows.map(({ name, seen, verdict, thresholds, fixedBy = '' }) => [
      ...[`\`${name}\``, seen, verdict === 'shape' ? 'the shape' : `\`${verdict}\``, thresholds.join(', '), fixedBy],
    ]),
  );
}

/** The text of docs/verdicts.md. */
export function verdictTable(): string {
  return `<!-- Made by npm run verdicts. Do not edit: edit src/core/verdict/rules and thresholds.ts. -->

# Verdicts

Read each table from the top: the first rule that holds decides. A stack gets a shape, and a line the worst shape of its
stacks. For the shape \`lasting\`, what the process showed and the chances of release decide: it is a leak if the holder
freed nothing while everything that could release the memory had its chance, or if nothing can release it.

## Shapes by lifetimes

If a trace shows the lifetimes of allocations:

${rules(LIFETIME_RULES)}

## Shapes by snapshots

If no trace shows lifetimes:

${rules(SERIES_RULES)}

## Lines

_Fixed by_ names a planted program whose report changes without the rule.

${lineRules(LINE_RULES)}

A chance is a release, a bound, the next iteration of a loop around the steps, or a loop that follows. A chance has passed if
it ran and older memory is still live; otherwise it is pending. Chances come from the source, from the recorder's counts and
from the frees in the trace. Without source and recorder, no verdict is \`leak\`. [retention.md](retention.md) says how holders
and chances are found, and which evidence wins.

The recorder alone proves a leak if the search for holders was complete, and

- the holders of most of the growth freed nothing in ${THRESHOLDS.custodySearches.value} searches over ${THRESHOLDS.lastingSteps.value} steps,
- each loop around the steps repeated ${THRESHOLDS.loopRounds.value} times since then, or there is one loop and training does not go on after it; a loop of
  a library counts as none if the holder was made outside of it and every function that mentions it has run, and then ${THRESHOLDS.oneLoopSteps.value} steps are needed,
- no length, count or key is tested where the holder grows, unless the holder is beyond it,
- each release in the loaded modules ran, is never called, or had its turn when the loops repeated.

Memory that C++ code refers to, or that two full garbage collections did not free, needs no more than the first of these. Nor
does the graph of a single result that goes back over steps of an optimizer, if nothing is known to release it.

## Thresholds

\`npm run thresholds\` varies each threshold by 30 %. _Fixed by_ names a planted program whose report then changes, if one was
found.

${table(
  ['threshold', 'value', 'unit', 'meaning', 'fixed by'],
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
