/** Desktop VS Code's test mode, played by code-server and headless Chromium. */
import { mkdirSync } from 'node:fs';
import { format } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './browser.js';
import { VsCodeServer, type ServerOptions, type WindowTarget } from './server.js';

/** Exit codes of failures that are not the tests' own. */
const exitCodes = { noResult: 97, crashed: 98 };
const limitMs = 900_000;

/** The workbench's own log at every start. */
const workbenchNoise =
  /^(?:%c|Resolv|Creating a socket|\[reconnection|Updating additional|\[Service Worker|\[AgentHost|\[AccountPolicy|OverlayWebview has been|Ignoring fetching|Creation of workbench contribution|Timed out waiting for authentication)|open-vsx/;

/** A VS Code in whose windows tests run inside the extension host, as in the test mode of desktop VS Code. */
export class ExtensionTests {
  private constructor(
    private readonly server: VsCodeServer,
    private readonly browser: Browser,
  ) {}

  static async start(options: Pick<ServerOptions, 'linkedExtensions'> = {}): Promise<ExtensionTests> {
    const server = await VsCodeServer.start({ ...options, testDriver: true });
    try {
      return new ExtensionTests(server, await launchChromium());
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** Runs what the window's `extensionTests` names; gives the exit code that `code` would give. */
  async run(target: WindowTarget): Promise<number> {
    const page = await this.browser.newPage({ viewport: { width: 1400, height: 850 } });
    const { result } = await listenForTestsEnd(page);
    await page.goto(this.server.windowUrl(target));
    const code = await result;
    if (code !== 0) {
      for (const [file, lines] of Object.entries(this.server.lastWords(20)))
        console.error(`${file}:\n${lines.join('\n')}`);
    }
    await page.close();
    return code;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
  }
}

/** Passes on what the extension host prints, and its exit code. Call before the page navigates. */
async function listenForTestsEnd(page: Page): Promise<{ result: Promise<number> }> {
  let resolve: (code: number) => void = () => undefined;
  const result = new Promise<number>((settle) => {
    resolve = settle;
  });
  await page.exposeFunction('codeAutomationExit', (code: number) => {
    resolve(code);
  });
  await page.exposeFunction('codeAutomationLog', (type: string, parts: readonly unknown[]) => {
    const text = format(...parts);
    if (process.env['LEAKLINE_VERBOSE'] === undefined && workbenchNoise.test(text)) return;
    if (type === 'error') console.error(text);
    else console.log(text);
  });
  page.on('crash', () => {
    console.error('The workbench crashed.');
    resolve(exitCodes.crashed);
  });
  const limit = setTimeout(() => {
    console.error(`The extension host gave no result within ${limitMs / 1000} s.`);
    mkdirSync('test-results', { recursive: true });
    const shot = page.screenshot({ path: 'test-results/host-timeout.png' }).catch(() => undefined);
    void shot.then(() => {
      resolve(exitCodes.noResult);
    });
  }, limitMs);
  return {
    result: result.finally(() => {
      clearTimeout(limit);
    }),
  };
}
