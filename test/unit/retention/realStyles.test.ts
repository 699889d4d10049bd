import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES } from '../../support/snapshots.js';
import { keptAt, type Program } from './follow.js';

const FOLDER = join(FIXTURES, 'styles');

interface Style {
  program: string;
  /** The holding line of the innocent twin. */
  innocent: string;
  stack: Program['stack'];
}

const STYLES = JSON.parse(readFileSync(join(FOLDER, 'styles.json'), 'utf8')) as Style[];

/** A statement without marks and indentation. */
function bare(line: string): string {
  return line.replace(/\s*#(?:!|KEEP).*$/, '').trim();
}

describe('Programs as people write them, with the stacks of their runs', () => {
  assert.ok(STYLES.length > 25);
  for (const { program, innocent, stack } of STYLES) {
    const text = readFileSync(join(FOLDER, program), 'utf8');
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.includes('#KEEP'));
    it(`name the holder: ${program}`, () => {
      assert.equal(keptAt({ files: { [program]: text }, stack }), bare(lines[at]));
    });
    it(`name none where nothing is held: ${program}`, () => {
      const indent = /^\s*/.exec(lines[at])?.[0] ?? '';
      const twin = lines.with(at, indent + innocent).join('\n');
      assert.equal(keptAt({ files: { [program]: twin }, stack }), '');
    });
  }
});
