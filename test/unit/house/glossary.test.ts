/** The glossary finds words in texts and in parts of names. */
import assert from 'node:assert/strict';
import { complaintsAbout } from '../../../scripts/lint/glossary.mjs';

const words = (line: string): string[] => complaintsAbout(line).map(({ word }) => word);

describe('The glossary', () => {
  // The words themselves must not stand here as such: this file is looked at as well.
  const [first, second] = ['bo' + 'rn', 'let' + 's go'];

  it('finds a word in a sentence, in a name of any form, and in a path', () => {
    assert.deepEqual(words(`Blocks ${first} in view`), [first]);
    assert.deepEqual(words(`const is${first[0].toUpperCase()}${first.slice(1)}Late = 1;`), [first]);
    assert.deepEqual(words(`step_${first}_late`), [first]);
    assert.deepEqual(words(`webview/live/${first}Session.ts`), [first]);
    assert.deepEqual(words(`It ${second} of the graph.`), [second]);
  });

  it('finds comments that need the one before them', () => {
    const [star, quote] = ['*'.repeat(2), '"'.repeat(3)];
    assert.deepEqual(words(`  /${star} Of the last snapshot. */`), [`${star} of`]);
    assert.deepEqual(words(`    ${quote}The same for a run.`), [`${quote}the same`]);
    assert.deepEqual(words('/** The size of the same block. */'), []);
  });

  it('finds nothing in the glossary’s own words, nor in parts of others', () => {
    assert.deepEqual(words('A leak is held by a list; allocated in step 3, freed in step 4; airborne'), []);
  });
});
