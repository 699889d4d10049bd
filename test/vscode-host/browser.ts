/** Headless Chromium, as the display of the test VS Code. */
import { existsSync } from 'node:fs';
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

/** Where `npm test` did not say where Chromium is: a test that was started without it. */
const usualPlaces = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

/** @throws Error if there is no Chromium; `npm test` finds or installs one and sets CHROMIUM_PATH */
export function launchChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? usualPlaces.find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error('Set CHROMIUM_PATH to a Chromium, or run this through npm test, which finds one.');
  }
  return chromium.launch({ executablePath, headless: true, args: chromiumFlags });
}
