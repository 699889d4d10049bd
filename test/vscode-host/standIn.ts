/** Desktop VS Code's test mode, played by code-server and headless Chromium. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { format, parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { launchChromium } from './browser.js';
import { VsCodeServer, type WindowTarget } from './server.js';

/** Exit codes of failures that are not the tests' own. */
const exitCodes = { noResult: 97, crashed: 98 };
const limitMs = 900_000;

/** What the workbench logs about itself on every start. */
const workbenchNoise =
  /^(?:%c|Resolv|Creating a socket|\[reconnection|Updating additional|\[Service Worker|\[AgentHost|\[AccountPolicy|OverlayWebview has been|Ignoring fetching|Creation of workbench contribution|Timed out waiting for authentication)|open-vsx/;

/** Runs the tests that the arguments name; gives the exit code that `code` would give. */
export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    options: { extensionDevelopmentPath: { type: 'string' }, extensionTestsPath: { type: 'string' } },
  });
  const { extensionDevelopmentPath: extension, extensionTestsPath: tests } = values;
  if (typeof extension !== 'string' || typeof tests !== 'string') {
    console.error('Needs --extensionDevelopmentPath and --extensionTestsPath.');
    return 2;
  }
  const folder = positionals.find((path) => existsSync(path) && statSync(path).isDirectory());
  const workspace = positionals.find((path) => path.endsWith('.code-workspace'));
  process.once('SIGTERM', () => process.exit(143));
  process.once('SIGINT', () => process.exit(130));
  return runExtensionTests({
    ...(folder === undefined ? {} : { folder }),
    ...(workspace === undefined ? {} : { workspace }),
    extensionUnderDevelopment: extension,
    extensionTests: tests,
    extensionEnvironment: testEnvironment(),
  });
}

/** Runs what a window's `extensionTests` names in its extension host; gives the exit code that `code` would give. */
export async function runExtensionTests(target: WindowTarget): Promise<number> {
  const server = await VsCodeServer.start({ testDriver: true });
  try {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ viewport: { width: 1400, height: 850 } });
      const { result } = await listenForTestsEnd(page);
      await page.goto(server.windowUrl(target));
      const code = await result;
      if (code !== 0) {
        for (const [file, lines] of Object.entries(server.lastWords(20)))
          console.error(`${file}:\n${lines.join('\n')}`);
      }
      return code;
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
  }
}

/** The variables meant for the tests; the extension host inherits the rest from the server. */
function testEnvironment(): Record<string, string> {
  const meant = Object.entries(process.env).filter(([name]) => name.startsWith('LEAKLINE_'));
  return Object.fromEntries(meant.map(([name, value]) => [name, value ?? '']));
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
