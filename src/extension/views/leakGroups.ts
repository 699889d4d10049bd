/** Rows of the Leaks view gathered under what they share. */
import { holdsOthers, type FindingMark } from '../results/findingMarks.js';
import { weightOf } from '../results/lineMarks.js';
import type { FileNode, FindingNode, LineNode } from './leakNodes.js';

/** A row for each finding; one that holds no other line's memory has the stacks of its line below it. */
export function findingNodes(findings: readonly FindingMark[], ignored: boolean): FindingNode[] {
  return findings.map((finding) => ({
    kind: 'finding',
    file: finding.file,
    line: finding.line,
    finding,
    lines: finding.lines.map((mark) => ({ kind: 'line', file: mark.file, line: mark.line, mark, ignored })),
    ignored,
  }));
}

/** True if the lines below a finding say more than its row. */
export function hasLines({ finding }: FindingNode): boolean {
  return holdsOthers(finding);
}

/** The files of these rows, in the order of their first rows. */
export function fileNodes(lines: readonly LineNode[]): FileNode[] {
  const files = new Map<string, LineNode[]>();
  for (const line of lines) {
    const key = `${line.mark.mapped}:${line.file}`;
    files.set(key, [...(files.get(key) ?? []), line]);
  }
  return [...files.values()].map((members) => {
    const runs = new Set(members.map(({ mark }) => mark.parts[0].run));
    return {
      kind: 'file',
      name: members[0].file,
      lines: members,
      bytes: runs.size === 1 ? members.reduce((sum, { mark }) => sum + weightOf(mark.parts[0].line), 0) : null,
    };
  });
}
