import * as vscode from 'vscode';
import { randomBytes } from 'node:crypto';
import type { ComparePair } from '../../protocol/compareData.js';
import { isRpcMessage, RpcError, RpcServer, type RpcMessage } from '../../protocol/rpc.js';
import {
  TIMELINE_PROTOCOL,
  type TimelineApi,
  type TimelineEvents,
  type TimelineState,
} from '../../protocol/timelineApi.js';
import { Command, TIMELINE_VIEW_TYPE } from '../contributions.js';
import { disposeAll, type Disposer } from '../disposer.js';
import type { MarkedLines } from '../marks/markedLines.js';
import type { ResultsStore } from '../results/resultsStore.js';
import type { SnapshotSession } from '../session.js';
import { openSource, type SourcePlace } from '../workspace/openSource.js';
import type { PythonFiles } from '../workspace/pythonFiles.js';
import { EditorCursor } from './editorCursor.js';
import { saveFile } from './saveFile.js';
import { timelineHtml } from './timelineHtml.js';
import {
  isBandDetailQuery,
  isBandsQuery,
  isBornInQuery,
  isCompareFlameQuery,
  isComparePair,
  isCopiedText,
  isFlameQuery,
  isLiveAtQuery,
  isMapQuery,
  isOpenSourceParams,
  isReadyParams,
  isRunCurveQuery,
  isSavedFile,
  isSeriesQuery,
  isTimelineQuery,
} from './timelineParams.js';
import { TimelineSelection } from './timelineSelection.js';

/** The timeline: one panel that answers its webview's questions by way of the worker. */
export class TimelinePanel implements vscode.Disposable, vscode.WebviewPanelSerializer {
  private panel: vscode.WebviewPanel | null = null;
  private server: RpcServer<TimelineApi, TimelineEvents> | null = null;
  private readonly selection: TimelineSelection;
  private readonly cursor: EditorCursor;
  private readonly subscriptions: readonly Disposer[];
  private toldReading = false;

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly session: SnapshotSession,
    private readonly store: ResultsStore,
    private readonly files: PythonFiles,
    private readonly lines: MarkedLines,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.selection = new TimelineSelection(store);
    this.cursor = new EditorCursor(files, lines, () => {
      this.tellCursor();
    });
    this.subscriptions = [
      this.cursor,
      store.onDidChange(() => {
        this.tell();
      }),
      session.onDidChange(() => {
        if (session.reading !== this.toldReading) this.tell();
      }),
    ];
  }

  /** Opens the panel, or brings it to the front, on a snapshot and a line; on the worst run's last snapshot if none. */
  show(path: string | null = null, highlight: SourcePlace | null = null): void {
    this.selection.ask(path, highlight);
    this.reveal(false);
  }

  /** Opens the panel, or brings it to the front, on two snapshots side by side; the editor keeps the focus. */
  showCompared(pair: ComparePair): void {
    this.selection.askCompared(pair);
    this.reveal(true);
  }

  private reveal(preserveFocus: boolean): void {
    if (this.panel === null) {
      const { Active, Beside } = vscode.ViewColumn;
      const viewColumn = vscode.window.activeTextEditor === undefined ? Active : Beside;
      const title = vscode.l10n.t('GPU Memory Timeline');
      const place = { viewColumn, preserveFocus };
      this.adopt(vscode.window.createWebviewPanel(TIMELINE_VIEW_TYPE, title, place, {}));
    } else {
      this.panel.reveal(undefined, preserveFocus);
      this.tell();
    }
  }

  /** Takes over the panel of the last session. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.panel?.dispose();
    this.adopt(panel);
    return Promise.resolve();
  }

  dispose(): void {
    disposeAll(this.subscriptions);
    this.panel?.dispose();
  }

  private adopt(panel: vscode.WebviewPanel): void {
    const dist = vscode.Uri.joinPath(this.extensionUri, 'dist');
    const { webview } = panel;
    const server = this.serve(webview);
    this.panel = panel;
    this.server = server;
    panel.iconPath = vscode.Uri.joinPath(this.extensionUri, 'media', 'timeline.svg');
    webview.options = { enableScripts: true, localResourceRoots: [dist], enableCommandUris: false };
    webview.onDidReceiveMessage((message: unknown) => {
      if (isRpcMessage(message)) void server.receive(message);
      else this.log.warn('the timeline sent something that is no message');
    });
    panel.onDidChangeViewState(() => {
      // What was sent while it was hidden is lost.
      this.tell();
      this.tellCursor();
    });
    panel.onDidDispose(() => {
      if (this.panel !== panel) return;
      this.panel = null;
      this.server = null;
    });
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

  private tell(): void {
    if (this.panel?.visible === true) this.server?.notify('state', this.state());
  }

  private tellCursor(): void {
    if (this.panel?.visible === true) this.server?.notify('cursor', this.cursor.place);
  }

  private state(): TimelineState {
    this.toldReading = this.session.reading;
    return { ...this.selection.state(), reading: this.toldReading };
  }

  private serve(webview: vscode.Webview): RpcServer<TimelineApi, TimelineEvents> {
    const post = (message: RpcMessage): void => {
      void webview.postMessage(message);
    };
    return new RpcServer<TimelineApi, TimelineEvents>(
      {
        ready: (params: unknown) => {
          if (!isReadyParams(params) || params.protocol !== TIMELINE_PROTOCOL) {
            throw new RpcError(
              'protocol',
              vscode.l10n.t('This page is of another version; close it and open it again.'),
            );
          }
          return this.state();
        },
        timeline: (params: unknown, signal) => {
          if (!isTimelineQuery(params)) throw badParams('timeline');
          return this.session.engine.call('timeline', params, signal);
        },
        liveAt: (params: unknown, signal) => {
          if (!isLiveAtQuery(params)) throw badParams('liveAt');
          return this.session.engine.call('liveAt', params, signal);
        },
        bornIn: (params: unknown, signal) => {
          if (!isBornInQuery(params)) throw badParams('bornIn');
          return this.session.engine.call('bornIn', params, signal);
        },
        bands: (params: unknown, signal) => {
          if (!isBandsQuery(params)) throw badParams('bands');
          return this.session.engine.call('bands', params, signal);
        },
        bandDetail: (params: unknown, signal) => {
          if (!isBandDetailQuery(params)) throw badParams('bandDetail');
          return this.session.engine.call('bandDetail', params, signal);
        },
        flame: (params: unknown, signal) => {
          if (!isFlameQuery(params)) throw badParams('flame');
          return this.session.engine.call('flame', params, signal);
        },
        memoryMap: (params: unknown, signal) => {
          if (!isMapQuery(params)) throw badParams('memoryMap');
          return this.session.engine.call('memoryMap', params, signal);
        },
        runCurve: (params: unknown, signal) => {
          if (!isRunCurveQuery(params)) throw badParams('runCurve');
          return this.session.engine.call('runCurve', params, signal);
        },
        compareTable: (params: unknown, signal) => {
          if (!isComparePair(params)) throw badParams('compareTable');
          const { a, b } = params;
          return this.session.engine.call('compareTable', { a, b, ignored: this.store.ignored }, signal);
        },
        compareFlame: (params: unknown, signal) => {
          if (!isCompareFlameQuery(params)) throw badParams('compareFlame');
          return this.session.engine.call('compareFlame', params, signal);
        },
        series: (params: unknown, signal) => {
          if (!isSeriesQuery(params)) throw badParams('series');
          return this.session.engine.call('series', params, signal);
        },
        saveFile: async (params: unknown) => {
          if (!isSavedFile(params)) throw badParams('saveFile');
          return { file: await saveFile(params) };
        },
        copyText: async (params: unknown) => {
          if (!isCopiedText(params)) throw badParams('copyText');
          await vscode.env.clipboard.writeText(params.text);
          return null;
        },
        openSource: async (params: unknown) => {
          if (!isOpenSourceParams(params)) throw badParams('openSource');
          const { preserveFocus } = params;
          await openSource(this.files, this.lines, params, { preserveFocus, viewColumn: this.sourceColumn() });
          return null;
        },
        openSnapshot: async () => {
          await vscode.commands.executeCommand(Command.openSnapshot);
          return null;
        },
      },
      post,
    );
  }

  /** An editor that is open beside the panel, else a new column. */
  private sourceColumn(): vscode.ViewColumn {
    const own = this.panel?.viewColumn;
    const other = vscode.window.visibleTextEditors.find(
      ({ viewColumn }) => viewColumn !== undefined && viewColumn !== own,
    );
    return other?.viewColumn ?? vscode.ViewColumn.Beside;
  }
}

function badParams(method: string): RpcError {
  return new RpcError('badParams', `The question '${method}' makes no sense.`);
}
