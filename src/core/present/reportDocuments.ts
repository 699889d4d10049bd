/** A report as documents: one a run, and what concerns several. */
import type { CycleReport, Report, TrendReport } from '../report/report.js';
import { named } from '../text/names.js';
import { sparkline } from '../text/sparkline.js';
import { t, tCount } from '../text/translate.js';
import { answer, list, text, type Document } from './document.js';
import { shownRuns } from './jobText.js';
import { runDocument, SPARKLINE_WIDTH, warnings } from './runDocument.js';
import { cycleSentence, cycleTexts, trendPeakTexts, trendSentence, trendSeriesText } from './trendAndCycleText.js';

/** @param maxLines rows of a table at most, leaks apart; the rest is one row */
export function reportDocuments(report: Report, maxLines: number): Document[] {
  const { runs, jobs } = shownRuns(report.runs, maxLines);
  const ofJobs = [...report.missing, ...report.behind, ...report.ranks].map(({ job, message }) =>
    named(`${job}: ${message}`),
  );
  return [
    ...runs.map((run) => runDocument(run, maxLines)),
    ...listDocument(t('Ranks that differ'), [...jobs, ...ofJobs]),
    ...report.trends.map(trendDocument),
    ...report.cycles.map((cycles) => cyclesDocument(cycles, maxLines)),
  ];
}

/** What is over its budget; none if nothing is. */
export function budgetDocuments({ overBudget }: Report): Document[] {
  return listDocument(
    t('Over budget'),
    overBudget.map(({ message }) => named(message)),
  );
}

function listDocument(heading: string, items: readonly string[]): Document[] {
  return items.length === 0 ? [] : [{ heading, name: heading, blocks: list(...items) }];
}

function trendDocument(trend: TrendReport): Document {
  return {
    heading: t('GPU memory over time in {0}', named(trend.path)),
    name: named(trend.path),
    blocks: [
      answer(`${trendSentence(trend)}.`),
      ...text(...trendPeakTexts(trend)),
      ...list(
        ...trend.series.map(
          (series) => `${sparkline(series.series, SPARKLINE_WIDTH)} ${named(trendSeriesText(series))}`,
        ),
      ),
      ...warnings(trend.warnings.map(({ message }) => message)),
    ],
  };
}

function cyclesDocument(cycles: CycleReport, maxLines: number): Document {
  const texts = cycleTexts(cycles);
  const rest = texts.length - maxLines;
  return {
    heading: t('Reference cycles in {0}', named(cycles.path)),
    name: named(cycles.path),
    blocks: [
      answer(`${cycleSentence(cycles)}.`),
      ...list(...texts.slice(0, maxLines).map(named)),
      ...(rest > 0 ? text(tCount(rest, '1 other not shown.', '{0} others not shown.')) : []),
    ],
  };
}
