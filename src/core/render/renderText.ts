/** Reports as text for a terminal. Exact bytes are beside the short form, so that every column adds up. */
import type { UnmappedFiles } from '../attribution/paths/pathMapping.js';
import { compareDocuments } from '../present/comparison.js';
import type { Block, Document, TableBlock } from '../present/document.js';
import { reportDocuments } from '../present/reportDocuments.js';
import { whatIfDocuments } from '../present/whatIf.js';
import type { CompareReport, Report } from '../report/report.js';
import type { DeviceWhatIf } from '../report/peak/whatIfDevices.js';
import { asItIs, printNames } from '../text/names.js';
import { visibleText } from '../text/plainText.js';
import { plural } from '../text/plural.js';
import { tableLines } from '../text/textTable.js';

interface TextOptions {
  /** Rows of a table at most, leaks apart; the rest is one row. Infinity shows steady lines below 1 % as well. */
  readonly maxLines: number;
}

/** Maximum number of unmapped paths that are named. */
const MAX_PATHS = 5;

/** The report as text that ends with a newline. Control characters of recorded names show as escapes. */
export function renderText(report: Report, { maxLines }: TextOptions): string {
  return reportDocuments(report, maxLines).map(documentText).join('\n');
}

/** Two snapshots side by side, as text that ends with a newline. */
export function renderCompareText(report: CompareReport, { maxLines }: TextOptions): string {
  return compareDocuments(report, maxLines).map(documentText).join('\n');
}

/** What each change would reserve, as text that ends with a newline. */
export function renderWhatIfText(devices: readonly DeviceWhatIf[]): string {
  return whatIfDocuments(devices).map(documentText).join('\n');
}

/** Unmapped files, as lines without a newline at the end; none if all are mapped. @param isAny some files are mapped */
export function unmappedText(paths: UnmappedFiles, isAny: boolean): string[] {
  const texts: string[] = [];
  const files = paths.unmapped.length;
  if (files > 0) {
    texts.push(
      isAny
        ? `${plural(files, 'recorded file')} not found below the root: ${listed(paths.unmapped)}. Map them with --map FROM=TO.`
        : 'No source: the recorded files are not below the root. Run this in the project, or pass --root or --map FROM=TO.',
    );
  }
  for (const { recorded, candidates } of paths.ambiguous.slice(0, MAX_PATHS)) {
    texts.push(`${recorded} could be ${candidates.slice(0, MAX_PATHS).join(' or ')}. Choose with --map FROM=TO.`);
  }
  if (paths.ambiguous.length > MAX_PATHS) texts.push(`${paths.ambiguous.length - MAX_PATHS} more files are ambiguous.`);
  return texts.map(visibleText);
}

function listed(paths: readonly string[]): string {
  const rest = paths.length - MAX_PATHS;
  return paths.slice(0, MAX_PATHS).join(', ') + (rest > 0 ? `, and ${rest} more` : '');
}

/** The first text stands behind the name, all others are indented below. */
function documentText({ name, blocks }: Document): string {
  const [first, ...others] = blocks;
  const isText = first.kind === 'text';
  const title = [name, isText ? first.text : ''].filter(Boolean).join(': ');
  const rest = isText ? others : blocks;
  const lines = [
    ...(title === '' ? [] : [plain(title)]),
    ...rest.flatMap((block) => ['', ...blockLines(block).map((line) => `  ${line}`)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function blockLines(block: Block): string[] {
  switch (block.kind) {
    case 'text':
      return [plain(block.text)];
    case 'list':
      return block.items.flatMap(({ text, items }) => [plain(text), ...items.map((item) => `  ${plain(item)}`)]);
    case 'table':
      return tableText(block);
  }
}

function tableText({ columns, rows }: TableBlock): string[] {
  return tableLines(
    columns.map(({ title, align }) => ({ title: title.toUpperCase(), align })),
    rows.map((row) => row.map(plain)),
  );
}

/** With names as they are. */
function plain(text: string): string {
  return visibleText(printNames(text, asItIs, asItIs));
}
