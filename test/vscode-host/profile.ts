/** A fresh VS Code profile: quiet, offline, and the same for tests and the demo. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** User settings; `null` leaves one at its default. */
export type Settings = Readonly<Record<string, unknown>>;

/** No welcome, no assistants, no calls to anybody: what remains is the editor. */
const quietSettings: Settings = {
  'workbench.startupEditor': 'none',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  // VS Code in a browser saves after a second: tests compare with what is on the disk, and say themselves when it changes.
  'files.autoSave': 'off',
  'git.openRepositoryInParentFolders': 'never',
  'security.workspace.trust.enabled': false,
  'remote.autoForwardPorts': false,
  // What moves takes time to draw.
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'npm.autoDetect': 'off',
  // There is no Python debugger here, and breakpoints beside marks are looked at.
  'debug.allowBreakpointsEverywhere': true,
};

/** Creates the user data folder of a new profile. */
export function writeProfile(userDataDir: string, settings: Settings = {}): void {
  mkdirSync(join(userDataDir, 'User'), { recursive: true });
  const merged = { ...quietSettings, ...settings };
  writeFileSync(join(userDataDir, 'User/settings.json'), JSON.stringify(merged, null, 2));
}

/**
 * Makes extensions folders out of source folders: VS Code loads each as if it were installed, from where it lies. Unlike
 * an extension under development it runs in an ordinary window, with notifications and without a test driver.
 */
export function linkExtensions(extensionsDir: string, sourceFolders: readonly string[]): void {
  mkdirSync(extensionsDir, { recursive: true });
  const entries = sourceFolders.map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
    return {
      identifier: { id: `${manifest['publisher'] ?? ''}.${manifest['name'] ?? ''}` },
      version: manifest['version'],
      location: { $mid: 1, path: resolve(folder), scheme: 'file' },
      metadata: { source: 'vsix' },
    };
  });
  writeFileSync(join(extensionsDir, 'extensions.json'), JSON.stringify(entries));
}
