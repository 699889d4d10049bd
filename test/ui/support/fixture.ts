/**
 * What every UI test stands on: `uiSession()` inside a `describe` gives its tests a VS Code, keeps a picture of a failed
 * one and tells what its windows showed, and fails a test in whose windows something happened that never must. Windows are closed after each test; those
 * that a `before` hook opens stay for all tests of the `describe`, one after the other: a window takes seconds to open.
 */
import assert from 'node:assert/strict';
import type { ServerOptions } from '../../vscode-host/server.js';
import { packedExtension, repositoryRoot } from '../../support/repository.js';
import { removeCopies } from '../../support/workspaces.js';
import type { Workbench } from '../workbench/workbench.js';
import { printFailure } from './failureNotes.js';
import { UiSession, type OpenWindow, type WindowOptions } from './session.js';

export interface UiFixture {
  open(options?: WindowOptions): Promise<Workbench>;
  /** Closes a window and opens it again. A browser does not wait for what a closing window stores: reload it before. */
  restart(workbench: Workbench): Promise<Workbench>;
  /** A `before` hook, tried once more with fresh windows: mocha tries failed tests again, but no hooks. */
  prepare(steps: () => Promise<void>): void;
}

const startLimitMs = 240_000;

/** The start options of a VS Code; by default Leakline linked from this repository, in English. */
export interface SessionOptions extends Pick<ServerOptions, 'settings' | 'language'> {
  /** Which Leakline runs: the built source folder, or the packed file as users get it. */
  form?: 'linked' | 'packed';
  /** Source folder of another extension that runs beside Leakline; its VS Code is not shared. */
  beside?: () => string;
}

/**
 * A VS Code takes seconds to start: all files of a process that start alike share one. It ends with the process.
 * Each file has windows of its own.
 */
const sessions = new Map<string, Promise<UiSession>>();
// Servers are stopped while the process exits: a signal that hurries it must not cut that short.
process.on('SIGTERM', () => process.exit(143));

function startedSession({ form = 'linked', settings = {}, language, beside }: SessionOptions): Promise<UiSession> {
  const others = beside === undefined ? [] : [beside()];
  const key = JSON.stringify([form, settings, language, others]);
  const session =
    sessions.get(key) ??
    UiSession.start({
      ...(form === 'packed' ? { vsix: packedExtension() } : { linkedExtensions: [repositoryRoot(), ...others] }),
      settings,
      ...(language === undefined ? {} : { language }),
    });
  sessions.set(key, session);
  // One that did not start is started again by the next file.
  session.catch(() => sessions.delete(key));
  return session;
}

export function uiSession(options: SessionOptions = {}): UiFixture {
  let session: UiSession | undefined;
  /** Windows from before the first test. */
  let shared: ReadonlySet<OpenWindow> | undefined;

  before(async function () {
    this.timeout(startLimitMs);
    session = await startedSession(options);
  });

  beforeEach(() => {
    shared ??= new Set(session?.openWindows());
  });

  afterEach(async function () {
    if (session === undefined) return;
    const windows = session.openWindows();
    const test = this.currentTest;
    // A test that is going to be tried again has no state.
    if (test !== undefined && test.state !== 'passed' && !test.isPending()) await saveTraces(session, test.fullTitle());
    const complaints = await Promise.all(windows.map(({ witness }) => witness.complaints()));
    await session.closeWindows(windows.filter((window) => shared?.has(window) !== true));
    assert.deepEqual(complaints.flat(), []);
  });

  after(async () => {
    await session?.closeWindows();
    removeCopies();
  });

  return {
    open: (options) => {
      assert.ok(session !== undefined, 'open() is for tests and hooks, after the session has started');
      return session.open(options);
    },
    restart: (workbench) => {
      assert.ok(session !== undefined, 'restart() is for tests, after the session has started');
      return session.restart(workbench);
    },
    prepare: (steps) => {
      before(async () => {
        assert.ok(session !== undefined, 'prepare() comes after uiSession()');
        try {
          await steps();
        } catch (error) {
          console.log(`      once more: before all (${error instanceof Error ? error.message : String(error)})`);
          await saveTraces(session, 'before all');
          await session.closeWindows();
          await steps();
        }
      });
    },
  };
}

/** Keeps a picture of each window, and prints what they show. */
async function saveTraces(session: UiSession, title: string): Promise<void> {
  const workbenches = session.openWindows().map(({ workbench }) => workbench);
  for (const workbench of workbenches) await workbench.screenshot(`failed ${title}`).catch(() => undefined);
  await printFailure(workbenches, session.server);
}
