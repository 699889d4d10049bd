/** Reports as Markdown, to paste into an issue or a pull request. */
import { compareDocuments } from '../present/comparison.js';
import type { Block, Document, TableBlock } from '../present/document.js';
import { budgetDocuments, reportDocuments } from '../present/reportDocuments.js';
import { peakDocument } from '../present/runDocument.js';
import type { CompareReport, Report, RunReport } from '../report/report.js';
import { asItIs, printNames } from '../text/names.js';
import { visibleText } from '../text/plainText.js';

interface MarkdownOptions {
  /** Rows of a table at most, leaks apart; the rest is one row. */
  readonly maxLines: number;
}

/** The report as Markdown that ends with a newline. Recorded names are code, never markup, links or mentions. */
export function renderMarkdown(report: Report, { maxLines }: MarkdownOptions): string {
  return markdown([...budgetDocuments(report), ...reportDocuments(report, maxLines)]);
}

/** The memory of each run at its peak or at out of memory, as Markdown that ends with a newline. */
export function renderPeakMarkdown(runs: readonly RunReport[], { maxLines }: MarkdownOptions): string {
  return markdown(runs.map((run) => peakDocument(run, maxLines)));
}

/** Two snapshots side by side, as Markdown that ends with a newline. */
export function renderCompareMarkdown(report: CompareReport, { maxLines }: MarkdownOptions): string {
  return markdown(compareDocuments(report, maxLines));
}

function markdown(documents: readonly Document[]): string {
  return documents
    .map(({ heading, blocks }) => `${[`## ${shown(heading)}`, ...blocks.map(blockMarkdown)].join('\n\n')}\n`)
    .join('\n');
}

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case 'text':
      return textMarkdown(block);
    case 'list':
      return block.items
        .flatMap((item) => [`- ${textMarkdown(item)}`, ...item.items.map((text) => `  - ${shown(text)}`)])
        .join('\n');
    case 'table':
      return tableMarkdown(block);
  }
}

function textMarkdown({ text, isAnswer }: { readonly text: string; readonly isAnswer: boolean }): string {
  return isAnswer ? `**${shown(text)}**` : shown(text);
}

function tableMarkdown({ columns, rows }: TableBlock): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => title)),
    line(columns.map(({ align }) => (align === '<' ? ':--' : '--:'))),
    ...rows.map((row) => line(row.map(shown))),
  ].join('\n');
}

/** With names as code. */
function shown(text: string): string {
  return printNames(text, codeSpan, asItIs);
}

/** A code span, whatever the text: its fence is longer than any run of backticks inside, and pipes do not end a cell. */
function codeSpan(text: string): string {
  const escaped = visibleText(text).replaceAll('|', '\\|');
  const longest = Math.max(0, ...(escaped.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const padding = longest > 0 || escaped === '' ? ' ' : '';
  return `${fence}${padding}${escaped}${padding}${fence}`;
}
