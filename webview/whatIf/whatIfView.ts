/** Below the chart: what other settings and changes would reserve. A chosen one has its curve in the chart. */
import { el } from '../ui/dom.js';
import { whatIfTable } from './whatIfRows.js';
import type { Saved } from '../parts/saveMenu.js';
import { savedName } from '../parts/savedName.js';
import { byteText } from '../../src/core/text/numberText.js';
import { formatExactBytes } from '../text/format.js';
import { createMessage } from '../parts/message.js';
import { createPane } from '../parts/pane.js';
import type { Store } from '../model/store.js';
import { strings } from '../text/strings.js';
import { bytesCell, DataTable, nameColumn, type Cell, type Column } from '../parts/dataTable.js';
import { createButton } from '../ui/button.js';
import type { ViewState } from '../model/viewState.js';
import { whatIfRows, type WhatIfRow } from './whatIfRows.js';
import type { WhatIfSession } from './whatIfSession.js';

export function createWhatIfView(
  store: Store<ViewState>,
  whatIfs: WhatIfSession,
): { element: HTMLElement; saved: Saved } {
  const copy = createButton({
    text: strings.copySetting,
    hint: strings.copySettingHint,
    onPress: () => whatIfs.copy(),
  });
  const apply = createButton({
    text: strings.applySetting,
    hint: strings.applySettingHint,
    onPress: () => whatIfs.apply(),
  });
  const problem = createMessage('hint');
  const notes = createMessage('hint');
  /** The buttons that choose, by change. */
  const buttons = new Map<string, HTMLButtonElement>();
  const table = new DataTable<WhatIfRow>({ class: 'what-if-table', label: strings.whatIf });
  const pane = createPane({
    class: 'what-if',
    label: strings.whatIf,
    head: [apply.element, copy.element],
    notes: [problem.element],
    scroller: el('div', { class: 'scroller' }, table.element, notes.element),
    retry: () => whatIfs.retry(),
  });

  const nameCell = ({ change }: WhatIfRow): Cell => {
    if (change === null) return { content: strings.asRecorded };
    const button = el('button', { class: 'link', title: strings.drawChange(change.name) }, change.name);
    button.addEventListener('click', () => whatIfs.choose(change.id));
    buttons.set(change.id, button);
    return { content: button };
  };
  const column = (text: string, cell: (row: WhatIfRow) => Cell): Column<WhatIfRow> => ({ text, kind: 'number', cell });
  const markChosen = (): void => {
    const { change } = store.get();
    for (const [id, button] of buttons) {
      const isChosen = id === change;
      button.setAttribute('aria-pressed', String(isChosen));
      const row = button.closest('tr');
      if (isChosen) row?.setAttribute('aria-current', 'true');
      else row?.removeAttribute('aria-current');
    }
    for (const button of [apply, copy]) button.setEnabled(whatIfs.assignment() !== null);
  };

  whatIfs.store.watch(({ answer, loading, error }, before) => {
    pane.stand({ loading, error: error === null ? null : strings.whatIfFailed(error) });
    if (answer === before.answer && answer !== null) return;
    const recorded = answer?.recorded ?? null;
    const isAnswered = answer !== null && recorded !== null;
    problem.show(answer?.problem ?? null);
    table.element.hidden = !isAnswered;
    pane.summarize(answer?.summary ?? '');
    notes.show(answer === null || answer.notes.length === 0 ? null : answer.notes.join(' '));
    buttons.clear();
    if (!isAnswered) return;
    const capacity = recorded.capacityBytes;
    table.show({
      columns: [
        nameColumn<WhatIfRow, string>(strings.change, nameCell),
        column(strings.reservedPeak, ({ reservedPeakBytes, isEstimate }) => ({
          content: `${isEstimate ? '~' : ''}${byteText(reservedPeakBytes)}`,
          title: formatExactBytes(reservedPeakBytes),
        })),
        column(strings.saved, ({ savedBytes }) => (savedBytes === null ? { content: '' } : bytesCell(savedBytes))),
        column(strings.reservedAtEnd, (row) => bytesCell(row.reservedEndBytes)),
        ...(capacity === null
          ? []
          : [column(strings.ofCapacity(capacity), ({ leftBytes }) => ({ content: strings.fit(leftBytes) }))]),
      ],
      rows: whatIfRows(answer),
    });
    markChosen();
  });
  store.watch((state, before) => {
    if (state.change !== before.change) markChosen();
  });

  return {
    element: pane.element,
    saved: {
      label: strings.paneName.whatIf,
      name: () => savedName(store.get(), 'what-if'),
      table: () => {
        const { answer } = whatIfs.store.get();
        return answer?.recorded == null ? null : whatIfTable(whatIfRows(answer));
      },
    },
  };
}
