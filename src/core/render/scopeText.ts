/** Live memory around the scopes of a lone snapshot, as a table. */
import { byteText } from '../text/byteText.js';
import { deviceName } from '../text/deviceName.js';
import { countText } from '../text/numberText.js';
import { t } from '../text/translate.js';
import type { Scope } from '../attribution/scopes.js';
import type { RunReport } from '../report/report.js';
import { isLoneSnapshot } from '../report/reportText.js';

/** Rows of the table. */
const MAX_ROWS = 8;

/** The title of the scopes' columns and one row each: name, repeats, amounts; null without scopes. */
export function scopeTable(run: RunReport): { titles: string[]; rows: string[][] } | null {
  if (!isLoneSnapshot(run)) return null;
  const moving = run.scopes.filter((scope) => moves(scope));
  if (moving.length === 0) return null;
  const several = new Set(moving.map(({ device }) => device)).size > 1;
  const shown = new Set([...moving].sort((a, b) => b.peakBytes - a.peakBytes).slice(0, MAX_ROWS));
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

/** Share of a scope's peak that must come or go inside, to be worth a row. */
const LEAST_CHANGE = 0.01;

function moves({ startBytes, endBytes, peakBytes }: Scope): boolean {
  return Math.max(peakBytes - startBytes, startBytes - endBytes) >= LEAST_CHANGE * peakBytes;
}
