import * as vscode from 'vscode';
import { randomBytes } from 'node:crypto';
import { isRpcMessage, RpcServer, type RpcMessage } from '../../protocol/rpc.js';
import { askWorker, TIMELINE_SCHEMAS, type TimelineApi, type TimelineEvents } from '../../protocol/timelineApi.js';
import { listed } from '../../core/present/presented.js';
import { Command } from '../contributions.js';
import { Listener } from '../disposer.js';
import { applyAllocatorSetting } from '../fix/allocatorSetting.js';
import type { EditorMarks } from '../marks/editorMarks.js';
import type { MarkedLines } from '../marks/markedLines.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { SnapshotSession } from '../session.js';
import { openSource } from '../workspace/openSource.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import type { EditorCursor } from './editorCursor.js';
import { timelineHtml } from './timelineHtml.js';
import type { TimelineSelection } from './timelineSelection.js';
import { homedir } from 'node:os';
import type { SavedFile } from '../../protocol/saveData.js';

/** Services for every page of the timeline. */
export interface TimelineServices {
  readonly extensionUri: vscode.Uri;
  readonly session: SnapshotSession;
  readonly store: ResultsStore;
  readonly files: PythonFiles;
  readonly lines: MarkedLines;
  readonly marks: EditorMarks;
  readonly log: vscode.LogOutputChannel;
  readonly cursor: EditorCursor;
}

/** Where a page is: in the panel, in a tab, or in a custom editor. */
export interface TimelinePlace {
  readonly webview: vscode.Webview;
  readonly visible: boolean;
  /** Column of the tab; undefined in the panel. */
  readonly viewColumn?: vscode.ViewColumn | undefined;
}

/** The timeline in one webview: passes its questions to the worker, and sends it changes. */
export class TimelinePage extends Listener {
  private readonly server: RpcServer<TimelineApi, TimelineEvents>;
  private sentReading = false;

  /** @param selection of this page; pages may share one */
  constructor(
    private readonly services: TimelineServices,
    private readonly selection: TimelineSelection,
    private readonly place: TimelinePlace,
  ) {
    super();
    const { session, store, cursor, log, extensionUri } = services;
    const { webview } = place;
    const dist = vscode.Uri.joinPath(extensionUri, 'dist');
    this.server = this.serve();
    webview.options = { enableScripts: true, localResourceRoots: [dist], enableCommandUris: false };
    this.subscriptions = [
      webview.onDidReceiveMessage((message: unknown) => {
        if (isRpcMessage(message)) void this.server.receive(message);
        else log.warn('the timeline sent something that is not a message');
      }),
      store.onDidChange(() => this.sendState()),
      session.onDidChange(() => {
        if (session.reading !== this.sentReading) this.sendState();
      }),
      session.onProgress((progress) => {
        // A page that shows something already has its own overview.
        if (place.visible && this.selection.state().choices.length === 0) this.server.notify('reading', progress);
      }),
      cursor.onMove(() => this.sendCursor()),
    ];
    webview.html = timelineHtml({
      cspSource: webview.cspSource,
      nonce: randomBytes(18).toString('base64'),
      script: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.css')).toString(),
      language: vscode.env.language,
      title: vscode.l10n.t('GPU Memory Timeline'),
      texts: vscode.l10n.bundle ?? {},
    });
  }

  /** Sends the whole state again: messages to a hidden page are lost. */
  refresh(): void {
    this.sendState();
    this.sendCursor();
  }

  private sendState(): void {
    if (!this.place.visible) return;
    this.sentReading = this.services.session.reading;
    this.server.notify('state', { ...this.selection.state(), reading: this.sentReading });
  }

  private sendCursor(): void {
    if (this.place.visible) this.server.notify('cursor', this.services.cursor.place);
  }

  private serve(): RpcServer<TimelineApi, TimelineEvents> {
    const { session, store, files, lines, marks } = this.services;
    const done = async (work: Thenable<unknown>): Promise<null> => {
      await work;
      return null;
    };
    const { executeCommand } = vscode.commands;
    return new RpcServer<TimelineApi, TimelineEvents>(
      {
        ...askWorker((name, params, signal) => session.engine.call(name, params, signal)),
        ready: () => {
          this.sentReading = session.reading;
          return { ...this.selection.state(), reading: this.sentReading };
        },
        bandDetail: async (query, signal) => {
          const detail = await session.engine.call('bandDetail', query, signal);
          const { place, finding } = detail;
          const stale = place === null ? null : marks.staleAt(place);
          if (finding === null || stale === null) return detail;
          return { ...detail, finding: { ...finding, answer: listed(finding.answer, stale), canFix: false } };
        },
        compareTable: ({ a, b }, signal) =>
          session.engine.call('compareTable', { a, b, ignored: store.ignored }, signal),
        saveFile: async (file) => ({ file: await saveFile(file) }),
        copyText: ({ text }) => done(vscode.env.clipboard.writeText(text)),
        applySetting: ({ assignment }) => done(applyAllocatorSetting(assignment)),
        openSource: (place) => done(openSource(files, lines, place, { viewColumn: this.sourceColumn() })),
        fixLeak: (place) => done(executeCommand(Command.fixLeak, place)),
        run: ({ command }) => done(executeCommand(Command[command])),
      },
      (message: RpcMessage) => {
        void this.place.webview.postMessage(message);
      },
      TIMELINE_SCHEMAS,
    );
  }

  /** A text editor that shows beside the page; else beside a tab a new column, and above the panel the active one. */
  private sourceColumn(): vscode.ViewColumn {
    const own = this.place.viewColumn;
    const other = vscode.window.visibleTextEditors.find(
      ({ viewColumn }) => viewColumn !== undefined && viewColumn !== own,
    );
    const { Active, Beside } = vscode.ViewColumn;
    return other?.viewColumn ?? (own === undefined ? Active : Beside);
  }
}

/** Maximum number of letters of a name. */
const MAX_NAME = 100;

/** Asks for a place for a picture or table, and writes it there. @returns the path, null if cancelled */
async function saveFile({ name, kind, content }: SavedFile): Promise<string | null> {
  const folder = vscode.workspace.workspaceFolders?.at(0)?.uri ?? vscode.Uri.file(homedir());
  const names = {
    png: vscode.l10n.t('PNG picture'),
    csv: vscode.l10n.t('CSV table'),
  };
  const target = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(folder, `${fileName(name)}.${kind}`),
    filters: { [names[kind]]: [kind] },
  });
  if (target === undefined) return null;
  await vscode.workspace.fs.writeFile(target, content);
  return target.scheme === 'file' ? target.fsPath : target.path;
}

function fileName(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+|[.-]+$/g, '');
  return safe.slice(0, MAX_NAME) || 'leakline';
}
