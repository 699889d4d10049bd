/** The peak of a run, or its memory when it ran out, as rows: advice, and what holds it. */
import { bucketParts } from '../../core/report/bucketParts.js';
import type { FailureHolder, PeakLine, PeakReport, RunReport } from '../../core/report/report.js';
import { failedShort, failureSentences } from '../../core/present/failed.js';
import { passText, peakShort } from '../../core/present/peakText.js';
import { listed } from '../../core/present/presented.js';
import { verdictSentence } from '../../core/present/runText.js';
import { bucketText } from '../../core/present/words.js';
import { byteText } from '../../core/text/numberText.js';
import { peaksToShow } from '../results/runOrder.js';
import { basename, nameAndLine, placeText } from '../../core/text/pathText.js';
import { itemOf, openCommand, rowOf, type Row } from './rows.js';

/** Maximum number of lines that have a row. */
const MAX_LINES = 8;
/** Share of the peak from which a part has a row. */
const MIN_SHARE = 0.01;

/** One row each; the first is expanded. */
export function peakRows(runs: readonly RunReport[]): Row[] {
  return peaksToShow(runs).map(({ run, peak, failure }, i) =>
    rowOf(
      null,
      () =>
        itemOf(failure === null ? peakShort(peak) : failedShort(failure), i === 0, {
          id: `peak:${run.id}`,
          description: listed(failure?.asked == null ? passText(peak) : nameAndLine(failure.asked), basename(run.id)),
          tooltip: failure === null ? verdictSentence(run) : failureSentences(failure).join('\n'),
          icon: failure === null ? 'graph' : 'error',
        }),
      (row) => [...(failure?.holders ?? []).map((holder) => holderRow(row, holder)), ...partRows(row, peak)],
    ),
  );
}

/** An object that held memory when it ran out, above the lines that allocated it. */
function holderRow(parent: Row, { name, file, line, bytes, fix }: FailureHolder): Row {
  const place = file === null || line === null ? null : { file, line };
  return rowOf(parent, () =>
    itemOf(byteText(bytes), null, {
      description: listed(name, place === null ? null : nameAndLine(place)),
      ...(fix !== null && { tooltip: fix }),
      icon: 'archive',
      command: place === null ? undefined : openCommand(place.file, place.line),
    }),
  );
}

/** What holds a peak, the largest first, below advice. */
function partRows(parent: Row, peak: PeakReport): Row[] {
  const held = [
    ...peak.lines.slice(0, MAX_LINES),
    ...bucketParts(peak).map(([bucket, bytes]) => ({ name: bucketText(bucket), bytes })),
  ]
    .filter(({ bytes }) => bytes >= MIN_SHARE * peak.liveBytes)
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
