/** The licenses of what is bundled: they ask to travel with every copy. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fromRoot } from './paths.mjs';

/** Comments of a bundler that has put files of packages, each of a version, into a file of another package. */
const INLINED = /#region \S*\/node_modules\/\.pnpm\/\S+?@([\d.]+)\S*?\/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//g;

/**
 * One text with the license of every npm package whose code is in the bundles, also inside another package.
 * @param {readonly import('esbuild').Metafile[]} metafiles of the builds
 * @returns {string}
 * @throws Error if a package has no license text
 */
export function thirdPartyNotices(metafiles) {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs));
  const notices = new Set();
  for (const [path, { bytesInOutput }] of inputs) {
    const [folder, name] = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    if (folder === undefined || bytesInOutput === 0) continue;
    notices.add(notice(folder, name));
    for (const [, version, inner] of readFileSync(fromRoot(path), 'utf8').matchAll(INLINED))
      notices.add(notice(`node_modules/${inner}`, inner, version));
  }
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `Leakline contains parts of these packages.${rule}${[...notices].sort().join(rule)}\n`;
}

/** @param inlined its version inside another package; npm may have installed a different one, or none */
function notice(folder, name, inlined) {
  const at = fromRoot(folder);
  const files = existsSync(at) ? readdirSync(at) : [];
  const manifest = files.length > 0 ? JSON.parse(readFileSync(fromRoot(folder, 'package.json'), 'utf8')) : null;
  const file = files.find((entry) => /^licen[cs]e/i.test(entry));
  // Texts that npm does not install are copied from the repositories of the packages.
  const copy = fromRoot('scripts/licenses', `${name.replace(/^@microsoft\/fast-.*/, 'fast')}.txt`);
  if (file === undefined && !existsSync(copy)) throw new Error(`${name} is bundled without its license: add ${copy}.`);
  const text = readFileSync(file === undefined ? copy : fromRoot(folder, file), 'utf8').trim();
  return `${name} ${inlined ?? manifest.version} (${manifest?.license ?? 'MIT'})\n\n${text}`;
}
