/** The peak of a run without a verdict as rows: its height, advice, and the lines and other parts that hold it. */
import { bucketParts } from '../../core/report/bucketParts.js';
import type { PeakLine, PeakReport, RunReport } from '../../core/report/report.js';
import { passText, peakShort } from '../../core/present/peakText.js';
import { listed } from '../../core/present/presented.js';
import { verdictSentence } from '../../core/present/runText.js';
import { bucketText } from '../../core/present/words.js';
import { byteText } from '../../core/text/numberText.js';
import { unjudgedPeaks } from '../results/runOrder.js';
import { basename, nameAndLine, placeText } from '../../core/text/pathText.js';
import { itemOf, openCommand, rowOf, type Row } from './rows.js';

/** Maximum number of lines that have a row. */
const MAX_LINES = 8;
/** Share of the peak from which a part has a row. */
const LEAST_SHARE = 0.01;

/** One row each; the first is expanded. */
export function peakRows(runs: readonly RunReport[]): Row[] {
  return unjudgedPeaks(runs).map(({ run, peak }, i) =>
    rowOf(
      null,
      () =>
        itemOf(peakShort(peak), i === 0, {
          id: `peak:${run.id}`,
          description: listed(passText(peak), basename(run.id)),
          tooltip: verdictSentence(run),
          icon: 'graph',
        }),
      (row) => partRows(row, peak),
    ),
  );
}

/** What holds a peak, the largest first, below advice. */
function partRows(parent: Row, peak: PeakReport): Row[] {
  const held = [
    ...peak.lines.slice(0, MAX_LINES),
    ...bucketParts(peak).map(([bucket, bytes]) => ({ name: bucketText(bucket), bytes })),
  ]
    .filter(({ bytes }) => bytes >= LEAST_SHARE * peak.liveBytes)
    .sort((a, b) => b.bytes - a.bytes);
  return [
    ...peak.advice.map((advice) => {
      const text = advice.replaceAll('`', '');
      return rowOf(parent, () => itemOf(text, null, { tooltip: text, icon: 'lightbulb' }));
    }),
    ...held.map((part) =>
      rowOf(parent, () =>
        itemOf(byteText(part.bytes), null, 'name' in part ? { description: part.name } : shown(part)),
      ),
    ),
  ];
}

function shown(line: PeakLine): Parameters<typeof itemOf>[2] {
  return {
    description: `${nameAndLine(line)} ${line.function}`,
    tooltip: placeText(line),
    command: line.mapped ? openCommand(line.file, line.line) : undefined,
  };
}
