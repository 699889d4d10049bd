/** The licenses of what is bundled: they ask to travel with every copy. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * One text with the license of every npm package that went into the bundles.
 * @param {readonly import('esbuild').Metafile[]} metafiles of the builds
 * @returns {string}
 */
export function thirdPartyNotices(metafiles) {
  const folders = new Set();
  for (const { inputs } of metafiles) {
    for (const path of Object.keys(inputs)) {
      const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      if (folder !== undefined) folders.add(folder);
    }
  }
  const notices = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file
      ? readFileSync(join(folder, file), 'utf8').trim()
      : `(the package carries no text of its license)`;
    return `${name} ${version} (${license})\n\n${text}`;
  });
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `Leakline contains parts of these packages.${rule}${notices.join(rule)}\n`;
}
