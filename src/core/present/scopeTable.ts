/** Live memory around the scopes of a lone snapshot. */
import type { Scope } from '../attribution/steps/scopes.js';
import type { RunReport } from '../report/report.js';
import { isLoneSnapshot } from '../report/snapshotReport.js';
import { deviceName } from '../text/deviceName.js';
import { named } from '../text/names.js';
import { byteText, countText } from '../text/numberText.js';
import { t } from '../text/translate.js';
import { left, right, table, type Block } from './document.js';

/** Maximum number of rows of the table. */
const MAX_ROWS = 8;

/** Amounts, repeats and name of each scope; none without scopes. */
export function scopeTable(run: RunReport): Block[] {
  const moving = isLoneSnapshot(run) ? run.scopes.filter((scope) => moves(scope)) : [];
  const several = new Set(moving.map(({ device }) => device)).size > 1;
  const shown = new Set([...moving].sort((a, b) => b.peakBytes - a.peakBytes).slice(0, MAX_ROWS));
  return table(
    [right(t('at start')), right(t('at end')), right(t('peak inside')), right(t('repeats')), left(t('scope'))],
    run.scopes
      .filter((scope) => shown.has(scope))
      .map(({ device, name, repeats, startBytes, endBytes, peakBytes }) => [
        ...[startBytes, endBytes, peakBytes].map(byteText),
        countText(repeats),
        named(several ? `${name} (${deviceName(device)})` : name),
      ]),
  );
}

/** Share of a scope's peak that must come or go inside, to be worth a row. */
const MIN_CHANGE = 0.01;

function moves({ startBytes, endBytes, peakBytes }: Scope): boolean {
  return Math.max(peakBytes - startBytes, startBytes - endBytes) >= MIN_CHANGE * peakBytes;
}
