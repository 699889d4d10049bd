/**
 * Leaves out each rule for lines and names a planted program whose report then changes: `npm run rules`. Fails where none
 * does, or where the rule names a program whose report stays. Names of rules restrict it to these.
 */
import { LINE_RULES } from '../src/core/verdict/rules/lines.js';
import type { LineRule } from '../src/core/verdict/rule.js';
import { judgeProgram, loadPlanted, reportText, type Mode, type RecordedProgram } from './planted.js';

const { recorded, digests } = await loadPlanted();

const MODES: readonly Mode[] = ['recorder', 'recorder and source', 'source, no traces', 'neither'];

async function said(one: RecordedProgram): Promise<string> {
  const { name } = one.program;
  const judged = await judgeProgram(one, MODES, digests.get(name));
  return judged.map(({ runs }) => reportText(name, runs)).join('\n');
}

const before = new Map<string, string>();
for (const one of recorded) before.set(one.program.name, await said(one));

/** A program that notices that a rule is left out, the one that it names first. */
async function noticing(rule: LineRule): Promise<string | null> {
  const rules = LINE_RULES as LineRule[];
  const at = rules.indexOf(rule);
  rules.splice(at, 1);
  try {
    const first = recorded.filter(({ program }) => program.name === rule.fixedBy);
    for (const one of [...first, ...recorded]) {
      // Without the last rule of the table, some line has none.
      const now = await said(one).catch(() => '');
      if (now !== before.get(one.program.name)) return one.program.name;
    }
    return null;
  } finally {
    rules.splice(at, 0, rule);
  }
}

const wanted = process.argv.slice(2);
for (const rule of [...LINE_RULES].filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const found = await noticing(rule);
  const isRight = rule.fixedBy === '' ? found === null : found === rule.fixedBy;
  console.log(`${isRight ? 'ok  ' : 'NOT '} ${rule.name}: ${found ?? 'no program'}`);
  if (!isRight) process.exitCode = 1;
}
