/** Rows of the Leaks view gathered under what they share. */
import { weightOf, type LineMark } from '../results/lineMarks.js';
import type { GroupNode, LineNode } from './leakNodes.js';

/** The groups of these rows, in the order of their first rows; rows that the workspace ignores are left out. */
export function groupLines(lines: readonly LineNode[], by: GroupNode['by']): GroupNode[] {
  const groups = new Map<string, LineNode[]>();
  for (const line of lines.filter(({ ignored }) => !ignored)) {
    const key = keyOf(line.mark, by);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [line]);
    else group.push(line);
  }
  return [...groups.values()].map((members) => {
    const holder = members[0].mark.parts[0].line.holder;
    const runs = new Set(members.map(({ mark }) => mark.parts[0].run));
    return {
      kind: 'group',
      by,
      name: by === 'file' ? members[0].file : (holder?.text ?? null),
      place: by === 'holder' && holder !== null ? { file: holder.file, line: holder.line } : null,
      lines: members,
      bytes: runs.size === 1 ? members.reduce((sum, { mark }) => sum + weightOf(mark.parts[0].line), 0) : null,
    };
  });
}

function keyOf(mark: LineMark, by: GroupNode['by']): string {
  if (by === 'file') return `${mark.mapped}:${mark.file}`;
  const { holder } = mark.parts[0].line;
  return holder === null ? '' : `${holder.file}:${holder.line}:${holder.text}`;
}
