import type { Measurement } from './rows/measure.js';

/** Rows of a table in Markdown; a text says why there is no measurement. */
export function timesTable(rows: readonly (readonly [title: string, outcome: Measurement | string])[]): string[] {
  return [
    '| what | seconds | CPU seconds | peak MiB |',
    '|:--|--:|--:|--:|',
    ...rows.map(([title, outcome]) =>
      typeof outcome === 'string'
        ? `| ${title} | ${outcome} | | |`
        : `| ${title} | ${outcome.seconds.toFixed(2)} | ${outcome.cpuSeconds.toFixed(2)} | ${Math.round(outcome.peakBytes / 2 ** 20)} |`,
    ),
  ];
}
