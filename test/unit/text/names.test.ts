import assert from 'node:assert/strict';
import { asItIs, named, printNames } from '../../../src/core/text/names.js';

describe('Names inside a text', () => {
  const printed = (text: string): string =>
    printNames(
      text,
      (name, ordinal) => `${ordinal}<${name}>`,
      (plain) => plain.toUpperCase(),
    );

  it('are printed in their order, apart from the text between them', () => {
    assert.equal(printed(`held by ${named('a.b')}, ${named('c.py:3')} so far`), 'HELD BY 0<a.b>, 1<c.py:3> SO FAR');
    assert.equal(printed('nothing'), 'NOTHING');
    assert.equal(printNames(named('x'), asItIs, asItIs), 'x');
  });

  it('do not end early, whatever was recorded', () => {
    const hostile = `a\u0003${named('b')}\u0002c`;
    assert.equal(printed(named(hostile)), '0<a\\u0003\\u0002b\\u0003\\u0002c>');
  });
});
