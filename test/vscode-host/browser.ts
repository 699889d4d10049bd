/** Headless Chromium, as the display of the test VS Code. */
import { chromium, type Browser } from 'playwright-core';

/** No sandbox, because tests run as root in containers; no background traffic of the browser's own. */
const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Whatever asks for another host gets no answer: what works here works offline.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** @throws Error if CHROMIUM_PATH is not set; `npm test` finds or installs Chromium and sets it. */
export function launchChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'];
  if (executablePath === undefined) {
    throw new Error('Set CHROMIUM_PATH to a Chromium, or run this through npm test, which finds one.');
  }
  return chromium.launch({ executablePath, headless: true, args: chromiumFlags });
}
