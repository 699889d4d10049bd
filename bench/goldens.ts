/** The verdicts on the planted programs, as files: test/fixtures/planted/golden. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goldenText, MODES, PLANTED, reportText, type Judged, type Mode } from './planted.js';

const FOLDER = join(PLANTED, 'golden');

/** File names and texts of the goldens. @param judged all programs, by name */
export function goldens(judged: ReadonlyMap<string, readonly Judged[]>): Map<string, string> {
  const files = new Map<string, string>();
  for (const mode of Object.keys(MODES) as Mode[]) {
    const texts = [...judged].map(([name, all]) =>
      goldenText(
        name,
        all.filter((one) => one.mode === mode),
      ),
    );
    files.set(`${mode.replaceAll(/\W+/g, '-')}.txt`, `${texts.join('\n')}\n`);
  }
  const reports = [...judged].map(([name, all]) =>
    reportText(name, all.findLast(({ mode }) => mode === 'recorder and source')?.runs ?? []),
  );
  files.set('reports.txt', `${reports.join('\n')}\n`);
  return files;
}

/** Lines that differ from the goldens, at most so many. Empty if none does. */
export function changes(files: ReadonlyMap<string, string>, max = 40): string[] {
  const found: string[] = [];
  for (const [name, text] of files) {
    const path = join(FOLDER, name);
    const before = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    const after = text.split('\n');
    let program = '';
    for (let i = 0; i < Math.max(before.length, after.length) && found.length < max; i++) {
      if (after.at(i)?.startsWith(' ') === false) program = after[i];
      if (before.at(i) === after.at(i)) continue;
      found.push(`${name}:${i + 1} ${program}\n  - ${before.at(i) ?? ''}\n  + ${after.at(i) ?? ''}`);
      // What follows in this file is shifted.
      if (before.length !== after.length) break;
    }
  }
  return found;
}

/** Writes the goldens again. */
export function writeGoldens(files: ReadonlyMap<string, string>): void {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(FOLDER, name), text);
}
