/** The evidence of a line, or of all lines of a finding, in words. */
import type { Bytes } from '../model/units.js';
import { oldest } from '../verdict/seen.js';
import { seenTexts } from '../verdict/seenTexts.js';
import type { Finding } from '../report/findings.js';
import { sum } from '../report/lineSelection.js';
import type { Evidence } from '../report/report.js';

/** What was observed of a line, and why that is its verdict. */
export function evidenceText({ gaps, reason, ...seen }: Evidence): string {
  return [...seenTexts(seen, gaps), reason].filter((text) => text !== '').join(' ');
}

/** What was observed of all lines with a finding's verdict, their amounts added up. Null without observations. */
export function findingEvidence({ lines, verdict }: Pick<Finding, 'lines' | 'verdict'>): string | null {
  const all = lines.flatMap((line) => (line.verdict === verdict && line.evidence !== null ? [line.evidence] : []));
  if (all.length === 0) return null;
  const [first] = all;
  // Lines that were observed in another way do not add up.
  const same = all.filter(({ from, floors }) => from === first.from && floors.length === first.floors.length);
  return evidenceText({
    ...first,
    birthSteps: Math.max(...same.map(({ birthSteps }) => birthSteps)),
    survivors: sum(same, ({ survivors }) => survivors),
    usualFreedAge: oldest(same.map(({ usualFreedAge }) => usualFreedAge)),
    oldestFreedAge: oldest(same.map(({ oldestFreedAge }) => oldestFreedAge)),
    floors: first.floors.map((_, i): Bytes => sum(same, ({ floors }) => floors[i])),
    drops: Math.min(...same.map(({ drops }) => drops)),
  });
}
