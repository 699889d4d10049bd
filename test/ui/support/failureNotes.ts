/** The text of the windows of a failed test, in a few lines, for runs without pictures. */
import type { VsCodeServer } from '../../vscode-host/server.js';
import type { Workbench } from '../workbench/workbench.js';

const rowLimit = 12;
const letterLimit = 160;
const windowLimitMs = 10_000;
const logLines = 15;

/** Prints what there is to see, and the ends of the logs. Never throws. */
export async function printFailure(workbenches: readonly Workbench[], server: VsCodeServer): Promise<void> {
  for (const workbench of workbenches) {
    for (const [place, rows] of Object.entries(await seenIn(workbench))) print(place, rows);
  }
  for (const [file, lines] of Object.entries(server.lastWords(logLines))) print(file, lines);
}

function print(place: string, rows: readonly string[]): void {
  if (rows.length === 0) return;
  const shown = rows
    .slice(0, Math.max(rowLimit, logLines))
    .map((row) => row.replace(/\s+/g, ' ').slice(0, letterLimit));
  console.log(`      ${place}:\n${shown.map((row) => `        ${row}`).join('\n')}`);
}

async function seenIn({ page, editor, notifications }: Workbench): Promise<Record<string, string[]>> {
  const texts = (selector: string) => page.locator(`${selector}:visible`).allInnerTexts();
  const questions: Record<string, () => Promise<string[]>> = {
    tab: async () => ((await page.locator('.tab.active').count()) > 0 ? [await editor.activeTab()] : []),
    lenses: async () => (await editor.lenses()).map(({ line, text }) => `${line}: ${text}`),
    'side bar and panel': () => texts('.part.sidebar .monaco-list-row, .part.panel .monaco-list-row'),
    'status bar': () => texts('.part.statusbar .statusbar-item'),
    messages: () => notifications.texts(),
    dialog: () => texts('.monaco-dialog-box'),
    picker: () => texts('.quick-input-widget .monaco-list-row'),
  };
  const answers = Object.entries(questions).map(async ([place, ask]): Promise<[string, string[]]> => {
    const tooLate = new Promise<string[]>((resolve) => setTimeout(resolve, windowLimitMs, ['no answer']).unref());
    const rows = await Promise.race([ask(), tooLate]).catch((error: unknown) => [String(error)]);
    return [place, rows.filter((row) => row.trim() !== '').slice(0, rowLimit)];
  });
  return Object.fromEntries(await Promise.all(answers));
}
