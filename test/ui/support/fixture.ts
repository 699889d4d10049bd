/**
 * What every UI test stands on: `uiSession()` inside a `describe` gives its tests a VS Code, keeps a picture of a failed
 * one, and fails a test in whose windows something happened that never must. Windows are closed after each test; those
 * that a `before` hook opens stay for all tests of the `describe`, one after the other: a window takes seconds to open.
 */
import assert from 'node:assert/strict';
import type { ServerOptions } from '../../vscode-host/server.js';
import { packedExtension, repositoryRoot } from '../../support/repository.js';
import { removeCopies } from '../../support/workspaces.js';
import type { Workbench } from '../workbench/workbench.js';
import { UiSession, type OpenWindow, type WindowOptions } from './session.js';

/** Which Leakline runs: the built source folder, or the packed file as users get it. */
export type ExtensionForm = 'linked' | 'packed';

export interface UiFixture {
  open(options?: WindowOptions): Promise<Workbench>;
}

const startLimitMs = 120_000;

export function uiSession(
  form: ExtensionForm = 'linked',
  settings: ServerOptions['settings'] = {},
  language?: ServerOptions['language'],
  /** Source folders of other extensions that run beside Leakline. */
  others: () => readonly string[] = () => [],
): UiFixture {
  let session: UiSession | undefined;
  /** Windows from before the first test. */
  let shared: ReadonlySet<OpenWindow> | undefined;

  before(async function () {
    this.timeout(startLimitMs);
    const extension =
      form === 'packed' ? { vsix: packedExtension() } : { linkedExtensions: [repositoryRoot(), ...others()] };
    session = await UiSession.start({ ...extension, settings, ...(language === undefined ? {} : { language }) });
  });

  beforeEach(() => {
    shared ??= new Set(session?.openWindows());
  });

  afterEach(async function () {
    if (session === undefined) return;
    const windows = session.openWindows();
    if (this.currentTest?.state === 'failed') {
      const title = this.currentTest.fullTitle();
      for (const { workbench } of windows) await workbench.screenshot(`failed ${title}`).catch(() => undefined);
    }
    const complaints = await Promise.all(windows.map(({ witness }) => witness.complaints()));
    await session.closeWindows(windows.filter((window) => shared?.has(window) !== true));
    assert.deepEqual(complaints.flat(), []);
  });

  after(async () => {
    await session?.close();
    removeCopies();
  });

  return {
    open: (options) => {
      assert.ok(session !== undefined, 'open() is for tests and hooks, after the session has started');
      return session.open(options);
    },
  };
}
