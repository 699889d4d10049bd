/**
 * The timeline's page alone in a browser: the built webview in the extension's own HTML and under its content security
 * policy, answered by the worker's own handlers over real snapshots. Only the window of VS Code around it is missing.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { serialize } from 'node:v8';
import type { Browser, Page } from 'playwright-core';
import { timelineHtml } from '../../../src/extension/timeline/timelineHtml.js';
import { isRpcMessage, RpcError, RpcServer, type RpcMessage } from '../../../src/protocol/rpc.js';
import type { SavedFile } from '../../../src/protocol/saveData.js';
import {
  askWorker,
  TIMELINE_SCHEMAS,
  type TimelineApi,
  type TimelineEvents,
  type TimelineState,
} from '../../../src/protocol/timelineApi.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import { readingHere } from '../../support/readingHere.js';
import { builtProgram, repositoryRoot } from '../../support/repository.js';
import { themes, type Theme } from './themes.js';
import { encoded, listen } from './wire.js';

/** A call of the page, as it arrived. */
export interface SeenCall {
  method: string;
  params: unknown;
}

export interface HarnessOptions {
  /** Snapshots that can be shown, in the order of their run. */
  paths: readonly string[];
  /** Workspace files that recorded paths are mapped to. */
  files?: readonly string[];
  viewport?: { width: number; height: number };
  /** Where these files lie, for a report that reads the source; it does not if not given. */
  folder?: string;
  /** Memory of every device; unknown if not given. */
  capacityBytes?: number;
  /** Folder of the built webview; `dist` if not given. */
  assets?: string;
  /** One that `l10n` has; English if not given. */
  language?: string;
}

export class TimelineHarness {
  /** Everything that the page has requested, in order. */
  readonly calls: SeenCall[] = [];
  /** The saved files, and the clipboard. */
  readonly saved: SavedFile[] = [];
  readonly copied: string[] = [];
  /** Assignments of settings. */
  readonly applied: string[] = [];
  /** Errors and policy violations in the page. */
  readonly complaints: string[] = [];
  /** Methods that fail, with the sentence they fail with. */
  readonly failing = new Map<keyof TimelineApi, string>();
  private current: TimelineState = {
    choices: [],
    request: 0,
    selected: null,
    highlight: null,
    compared: null,
    pane: null,
  };
  private readonly answers = new Map<string, number[]>();
  private readonly notices = new Map<string, number[]>();
  private readonly times = new Map<string, number[]>();
  private readonly asked = new Map<number, { method: string; at: number }>();
  private rpc: RpcServer<TimelineApi, TimelineEvents> | null = null;
  private read: (path: string) => Promise<void> = () => Promise.resolve();
  private listed: () => Promise<TimelineState['choices']> = () => Promise.resolve([]);
  /** Where the page listens; the one before a reload is closed. */
  private listener: ServerResponse | null = null;

  private constructor(
    readonly page: Page,
    private readonly server: Server,
  ) {}

  static async open(browser: Browser, options: HarnessOptions): Promise<TimelineHarness> {
    const { paths, files = [], viewport = { width: 1000, height: 760 } } = options;
    const assets = options.assets ?? dirname(builtProgram('webview.js'));
    const server = createServer((request, response) => {
      if (request.url === '/messages') {
        harness.listener = response;
        response.flushHeaders();
        return;
      }
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const asset = { '/webview.js': 'text/javascript', '/webview.css': 'text/css' }[request.url ?? ''];
      response.setHeader('Content-Type', asset ?? 'text/html');
      response.end(
        asset === undefined ? pageAt(origin, options.language) : readFileSync(join(assets, request.url ?? '')),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    context.setDefaultTimeout(60_000);
    const harness = new TimelineHarness(await context.newPage(), server);
    await harness.serve(paths, files, options.folder ?? null, options.capacityBytes ?? null);
    await harness.connect();
    await harness.page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await harness.useTheme('dark');
    return harness;
  }

  /** Tells the page a new state, as the extension does when snapshots come or the user asks for something. */
  setState(change: Partial<TimelineState>): void {
    this.current = { ...this.current, ...change };
    this.rpc?.notify('state', this.current);
  }

  /** Reads a file while the page looks on, as the extension does when one comes. */
  async load(path: string): Promise<void> {
    this.setState({ reading: true });
    await this.read(path);
    this.setState({ reading: false, choices: await this.listed() });
  }

  /** Tells the page how far a file is read. */
  tellProgress(progress: TimelineEvents['reading']): void {
    this.rpc?.notify('reading', progress);
  }

  /** Tells the page where the editor's cursor is. */
  moveCursor(place: { file: string; line: number } | null): void {
    this.rpc?.notify('cursor', place);
  }

  /** Bytes of the answers to a method, as they cross a channel. */
  answersOf(method: keyof TimelineApi): readonly number[] {
    return this.answers.get(method) ?? [];
  }

  /** Bytes of the notices of a name. */
  noticesOf(name: keyof TimelineEvents): readonly number[] {
    return this.notices.get(name) ?? [];
  }

  /** Bytes of all answers. */
  get bytesSent(): number {
    return [...this.answers.values()].flat().reduce((sum, bytes) => sum + bytes, 0);
  }

  /** How long the answers to a method took, in milliseconds, without their way to the page. */
  timesOf(method: keyof TimelineApi): readonly number[] {
    return this.times.get(method) ?? [];
  }

  get state(): TimelineState {
    return this.current;
  }

  callsOf(method: keyof TimelineApi): unknown[] {
    return this.calls.filter((call) => call.method === method).map(({ params }) => params);
  }

  async useTheme(name: keyof typeof themes, fontSize = '13px'): Promise<void> {
    const theme: Theme = themes[name];
    await this.page.evaluate(
      ({ bodyClass, variables }) => {
        const { style } = document.documentElement;
        style.cssText = '';
        for (const [variable, value] of Object.entries(variables)) style.setProperty(`--vscode-${variable}`, value);
        document.body.className = bodyClass;
      },
      { bodyClass: theme.bodyClass, variables: { ...theme.variables, 'font-size': fontSize } },
    );
  }

  async close(): Promise<void> {
    await this.page.context().close();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(
    paths: readonly string[],
    files: readonly string[],
    folder: string | null,
    capacityBytes: number | null,
  ): Promise<void> {
    const roots = folder === null ? [] : [{ prefix: '', folder }];
    const workspace = new WorkspaceFiles();
    const reading = readingHere();
    const worker = workerHandlers(new SnapshotStore(reading), reading, workspace, (progress) => {
      this.rpc?.notify('reading', progress);
    });
    const signal = new AbortController().signal;
    await worker.setWorkspace({ files, rules: [], roots, texts: {}, capacityBytes: null }, signal);
    this.read = async (path) => {
      await worker.load({ path }, signal);
    };
    this.listed = async () => {
      const { report } = await worker.report(null, signal);
      return report.runs.flatMap(({ id, snapshots }) =>
        snapshots.map(({ path, devices, step }) => ({
          path,
          label: path.split('/').at(-1) ?? path,
          run: id,
          devices: devices.map(({ device }) => device),
          step,
          kind: 'snapshot' as const,
        })),
      );
    };
    for (const path of paths) await this.read(path);
    this.current = { ...this.current, choices: await this.listed() };
    this.rpc = new RpcServer<TimelineApi, TimelineEvents>(
      {
        ready: () => this.current,
        ...askWorker((name, params, asked) => worker[name](params, asked)),
        timeline: async (query, asked) => ({ ...(await worker.timeline(query, asked)), capacityBytes }),
        compareTable: (pair, asked) => worker.compareTable({ ...pair, ignored: [] }, asked),
        saveFile: (file) => {
          this.saved.push(file);
          return { file: `/chosen/${file.name}.${file.kind}` };
        },
        copyText: ({ text }) => {
          this.copied.push(text);
          return null;
        },
        applySetting: ({ assignment }) => {
          this.applied.push(assignment);
          return null;
        },
        openSource: () => null,
        fixLeak: () => null,
        run: () => null,
      },
      (message) => {
        this.measure(message);
        this.post(message);
      },
      TIMELINE_SCHEMAS,
    );
  }

  private async connect(): Promise<void> {
    const { page } = this;
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.text().includes('Content Security Policy')) {
        this.complaints.push(message.text());
      }
    });
    await page.exposeBinding('toExtension', (_source, message: unknown) => {
      this.receive(message);
    });
    // Functions that are compiled for Node and run in the page carry calls of this helper.
    await page.addInitScript('globalThis.__name = (named) => named');
    await page.addInitScript(`globalThis.listening = (${listen.toString()})()`);
    await page.addInitScript(() => {
      const key = 'vscode-state';
      Object.assign(window, {
        acquireVsCodeApi: () => ({
          postMessage: (message: unknown) => {
            const page = window as unknown as { toExtension: (message: unknown) => void; listening: Promise<void> };
            page.listening.then(
              () => {
                page.toExtension(message);
              },
              () => undefined, // the page is being left
            );
          },
          getState: (): unknown => JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined,
          setState: (state: unknown) => {
            sessionStorage.setItem(key, JSON.stringify(state));
          },
        }),
      });
    });
  }

  private post(message: RpcMessage): void {
    this.listener?.write(encoded(message));
  }

  /** Counts the bytes of an answer's structured clone: what a worker thread's port carries. */
  private measure(message: RpcMessage): void {
    if (message.kind === 'notice') {
      const { byteLength } = serialize(message);
      this.notices.set(message.name, [...(this.notices.get(message.name) ?? []), byteLength]);
    }
    if (message.kind !== 'result') return;
    const asked = this.asked.get(message.id);
    if (asked === undefined) return;
    const { method, at } = asked;
    this.times.set(method, [...(this.times.get(method) ?? []), performance.now() - at]);
    this.answers.set(method, [...(this.answers.get(method) ?? []), serialize(message).byteLength]);
  }

  private receive(message: unknown): void {
    if (!isRpcMessage(message)) throw new Error(`no message: ${JSON.stringify(message)}`);
    if (message.kind === 'request') {
      const { id, method, params } = message;
      this.calls.push({ method, params });
      this.asked.set(id, { method, at: performance.now() });
      const failure = this.failing.get(method as keyof TimelineApi);
      if (failure !== undefined) {
        const error = new RpcError('unreadable', failure);
        const answer: RpcMessage = { kind: 'failure', id, reason: error.reason, message: error.message };
        this.post(answer);
        return;
      }
    }
    void this.rpc?.receive(message);
  }
}

function pageAt(origin: string, language = 'en'): string {
  const bundle = join(repositoryRoot(), `l10n/bundle.l10n.${language}.json`);
  return timelineHtml({
    cspSource: origin,
    nonce: 'bm9uY2Utb2YtYS10ZXN0',
    script: `${origin}/webview.js`,
    style: `${origin}/webview.css`,
    language,
    title: 'GPU Memory Timeline',
    texts: language === 'en' ? {} : (JSON.parse(readFileSync(bundle, 'utf8')) as Record<string, string>),
  });
}
