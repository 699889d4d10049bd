/** The peak of a lone snapshot as rows: its height, advice, and the lines and other parts that hold it. */
import * as vscode from 'vscode';
import { bucketParts } from '../../core/report/bucketParts.js';
import type { PeakLine, PeakReport, RunReport } from '../../core/report/report.js';
import { passText, peakShort } from '../../core/present/peakText.js';
import { listed } from '../../core/present/presented.js';
import { verdictSentence } from '../../core/present/runText.js';
import { bucketText } from '../../core/present/words.js';
import { byteText } from '../../core/text/numberText.js';
import { lonePeaks } from '../results/runOrder.js';
import { basename, nameAndLine, placeText } from '../../core/text/pathText.js';
import { openCommand } from './sourceItems.js';

export interface PeakNode {
  readonly kind: 'peak';
  readonly run: RunReport;
  readonly peak: PeakReport;
  /** The first is expanded. */
  readonly isFirst: boolean;
}

/** Advice, a line that holds memory, or memory without a line. */
export interface PeakPartNode {
  readonly kind: 'peakPart';
  readonly parent: PeakNode;
  readonly part: string | PeakLine | { readonly name: string; readonly bytes: number };
}

/** Lines that have a row. */
const MAX_LINES = 8;
/** Share of the peak from which a part has a row. */
const LEAST_SHARE = 0.01;

/** One row each. */
export function peakNodes(runs: readonly RunReport[]): PeakNode[] {
  return lonePeaks(runs).map((one, i) => ({ kind: 'peak', ...one, isFirst: i === 0 }));
}

/** What holds a peak, the largest first, below advice. */
export function peakParts(parent: PeakNode): PeakPartNode[] {
  const { peak } = parent;
  const buckets = bucketParts(peak).map(([bucket, bytes]) => ({ name: bucketText(bucket), bytes }));
  const held = [...peak.lines.slice(0, MAX_LINES), ...buckets]
    .filter(({ bytes }) => bytes >= LEAST_SHARE * peak.liveBytes)
    .sort((a, b) => b.bytes - a.bytes);
  return [...peak.advice, ...held].map((part) => ({ kind: 'peakPart', parent, part }));
}

export function peakItem({ run, peak, isFirst }: PeakNode): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(peakShort(peak), isFirst ? Expanded : Collapsed);
  item.id = `peak:${run.id}`;
  item.description = listed(passText(peak), basename(run.id));
  item.tooltip = verdictSentence(run);
  item.iconPath = new vscode.ThemeIcon('graph');
  return item;
}

export function peakPartItem({ part }: PeakPartNode): vscode.TreeItem {
  if (typeof part === 'string') {
    const text = part.replaceAll('`', '');
    const advice = new vscode.TreeItem(text);
    advice.tooltip = text;
    advice.iconPath = new vscode.ThemeIcon('lightbulb');
    return advice;
  }
  const item = new vscode.TreeItem(byteText(part.bytes));
  if ('name' in part) {
    item.description = part.name;
    return item;
  }
  item.description = `${nameAndLine(part)} ${part.function}`;
  item.tooltip = placeText(part);
  if (part.mapped) item.command = openCommand(part.file, part.line);
  return item;
}
