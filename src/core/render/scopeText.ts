/** Live memory around the scopes of a lone snapshot, as a table. */
import { byteText } from '../text/byteText.js';
import { deviceName } from '../text/deviceName.js';
import { countText } from '../text/numberText.js';
import { t } from '../text/translate.js';
import type { RunReport } from '../report/report.js';
import { isLoneSnapshot } from '../report/reportText.js';

/** Rows of the table. */
const MAX_ROWS = 8;

/** The title of the scopes' columns and one row each: name, repeats, amounts; null without scopes. */
export function scopeTable(run: RunReport): { titles: string[]; rows: string[][] } | null {
  if (!isLoneSnapshot(run) || run.scopes.length === 0) return null;
  const several = new Set(run.scopes.map(({ device }) => device)).size > 1;
  const shown = new Set([...run.scopes].sort((a, b) => b.peakBytes - a.peakBytes).slice(0, MAX_ROWS));
  return {
    titles: [t('at start'), t('at end'), t('peak inside'), t('repeats'), t('scope')],
    rows: run.scopes
      .filter((scope) => shown.has(scope))
      .map(({ device, name, repeats, startBytes, endBytes, peakBytes }) => [
        ...[startBytes, endBytes, peakBytes].map(byteText),
        countText(repeats),
        several ? `${name} (${deviceName(device)})` : name,
      ]),
  };
}
