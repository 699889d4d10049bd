/** The overview of the run for those who cannot see it, or want its numbers: a row for each snapshot. */
import type { RunCurve } from '../../src/protocol/runData.js';
import { el } from '../dom.js';
import type { Exporter } from '../export/exporter.js';
import { createExportMenu } from '../export/exportMenu.js';
import { savedName } from '../export/savedName.js';
import { tableOf } from '../export/tableOf.js';
import { formatBytes, formatExactBytes } from '../format.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import type { ViewState } from '../viewState.js';
import type { RunSession } from './runSession.js';
import { beforeText, partName, stepsText } from './runText.js';

export function createRunTable(store: Store<ViewState>, runs: RunSession, exporter: Exporter): HTMLElement {
  const body = el('tbody');
  const head = (text: string, kind = ''): HTMLElement => el('th', { class: kind, attributes: { scope: 'col' } }, text);
  const table = el(
    'table',
    { class: 'run-table' },
    el('caption', {}, strings.runTable),
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        head(strings.snapshot),
        head(strings.live, 'number'),
        head(strings.reserved, 'number'),
        head(strings.columnSteps),
        head(strings.columnHistory),
        head(strings.columnAction),
      ),
    ),
    body,
  );
  const menu = createExportMenu(exporter, {
    name: () => savedName(store.get(), 'run'),
    table: () => tableOf(table),
  });
  const region = el('div', { class: 'run-region' }, table, menu);
  let built: RunCurve | null = null;
  const render = (): void => {
    const { run } = runs.store.get();
    const { curveAsTable, selection } = store.get();
    region.hidden = run === null || !curveAsTable;
    if (run === null || !curveAsTable) return;
    if (run !== built) body.replaceChildren(...run.parts.map((_, index) => rowOf(run, index, runs)));
    built = run;
    run.parts.forEach(({ path }, index) => {
      const row = body.children[index];
      if (path === selection?.path) row.setAttribute('aria-current', 'true');
      else row.removeAttribute('aria-current');
    });
  };
  runs.store.watch(render);
  store.watch((state, before) => {
    if (state.curveAsTable !== before.curveAsTable || state.selection !== before.selection) render();
  });
  return region;
}

function rowOf(run: RunCurve, index: number, runs: RunSession): HTMLElement {
  const part = run.parts[index];
  const name = partName(part);
  const button = el('button', { class: 'link', attributes: { 'aria-label': strings.showPartOf(name) } });
  button.append(strings.showPart);
  button.addEventListener('click', () => {
    runs.show(index);
  });
  const bytes = (value: number | null): HTMLElement =>
    value === null
      ? el('td', { class: 'number' }, strings.unknown)
      : el('td', { class: 'number', title: formatExactBytes(value) }, formatBytes(value));
  return el(
    'tr',
    {},
    el('th', { title: part.path, attributes: { scope: 'row' } }, name),
    bytes(part.liveBytes),
    bytes(part.reservedBytes),
    el('td', {}, stepsText(run, index)),
    el('td', {}, beforeText(run, index)),
    el('td', {}, button),
  );
}
