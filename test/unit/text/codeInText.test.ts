import assert from 'node:assert/strict';
import { markCode } from '../../../src/core/text/codeInText.js';

describe('Code inside a sentence', () => {
  const marked = (text: string): string => markCode(text, (code) => `<${code}>`);

  it('is each piece that is not a plain word, with its arguments and without punctuation', () => {
    for (const [text, expected] of [
      [
        'Clear Net.seen after use, or store copies (.detach().cpu()).',
        'Clear <Net.seen> after use, or store copies (<.detach().cpu()>).',
      ],
      ['Use grad(..., create_graph=True), or stop.', 'Use <grad(..., create_graph=True)>, or stop.'],
      ['Call bank.release() (bank.py:31) here.', 'Call <bank.release()> (<bank.py:31>) here.'],
      ["Über jeder Runde: don't.", "Über jeder Runde: don't."],
      ['Never closed(a b', 'Never <closed(a b>'],
    ])
      assert.equal(marked(text), expected);
  });

  it('leaves nothing outside that is markup, a link or a mention', () => {
    for (const text of [
      'a *b* [c](d) @e #1 <f> `g` www.h.i http://j.k l_m_ ~~n~~ !o & p',
      '((((x))))',
      '- (*b*) ).*',
      '',
    ]) {
      const outside = markCode(text, () => '');
      assert.match(outside, /^[\p{L}\p{N}'().,;: -]*$/u);
    }
  });
});
