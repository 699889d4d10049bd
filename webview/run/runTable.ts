/** The snapshots of a run as rows of a table. */
import type { RunCurve } from '../../src/protocol/runData.js';
import { bytesColumn, nameColumn, textColumn, type Cell, type Column } from '../parts/dataTable.js';
import { t } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import { beforeText, partName, stepsText } from './runText.js';

export function runColumns(run: RunCurve, action: (part: number, name: string) => Cell): Column<number>[] {
  const { parts } = run;
  return [
    nameColumn(strings.snapshot, (part) => ({ ...action(part, partName(parts[part])), title: parts[part].path })),
    bytesColumn(strings.live, (part) => parts[part].liveBytes),
    bytesColumn(strings.reserved, (part) => parts[part].reservedBytes),
    textColumn(t('Marked steps'), (part) => stepsText(run, part)),
    textColumn(t('History'), (part) => beforeText(run, part)),
  ];
}
