import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasPython } from '../../support/bruteForce.js';
import { compareWithPython } from '../../support/columns.js';
import { CORPUS, FIXTURES, hasCorpus } from '../../support/snapshots.js';

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(pickle|gz|pt|json|html)$/.test(name) && !/timeline|chrome|stats|cycle|NOTES/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();
}

describe('Every file', () => {
  it('of our fixtures gives the sums that CPython gives', async function () {
    if (!hasPython()) {
      console.log('    skipped: no python3 to compare with');
      this.skip();
    }
    this.timeout(120_000);
    await compareWithPython(filesUnder(join(FIXTURES, 'shapes')));
  });

  it('of the corpus gives the sums that CPython gives', async function () {
    if (!hasPython() || !hasCorpus()) {
      console.log('    skipped: no python3, or no corpus beside the checkout');
      this.skip();
    }
    this.timeout(300_000);
    await compareWithPython(filesUnder(CORPUS));
  });
});
