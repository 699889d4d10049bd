import assert from 'node:assert/strict';
import { byteText, countText, decimalText } from '../../../src/core/text/numberText.js';
import { t, tCount, useTranslations } from '../../../src/core/text/translate.js';

describe('Translated text', () => {
  afterEach(() => {
    useTranslations({});
  });

  it('is English without translations, and where one is missing', () => {
    assert.equal(t('{0} of {1} lines', 1, 'two'), '1 of two lines');
    useTranslations({ 'another text': 'ein anderer Text' });
    assert.equal(t('{0} of {1} lines', 1, 'two'), '1 of two lines');
    assert.equal(t('constructor'), 'constructor');
  });

  it('is another language as a whole, with its own order of words', () => {
    useTranslations({ '{0} leaks on rank {1}.': 'Auf Rang {1} verliert {0}.' });
    assert.equal(t('{0} leaks on rank {1}.', 'a.py:1', 3), 'Auf Rang 3 verliert a.py:1.');
  });

  it('has a text of its own for one, and separators between thousands', () => {
    useTranslations({ '{0} steps of {1}': '{1}: {0} Schritte' });
    assert.equal(tCount(1, '1 step of {1}', '{0} steps of {1}', 'x'), '1 step of x');
    assert.equal(tCount(12_345, '1 step of {1}', '{0} steps of {1}', 'x'), 'x: 12,345 Schritte');
    assert.equal(tCount(0, '1 step of {1}', '{0} steps of {1}', 'x'), 'x: 0 Schritte');
  });

  it('writes numbers as its language does', () => {
    const amounts = (): string[] => [
      countText(1_234_567),
      decimalText(-1234.56, 1),
      byteText(1.3 * 2 ** 30),
      byteText(1012),
    ];
    assert.deepEqual(amounts(), ['1,234,567', '-1234.6', '1.3 GiB', '1012 B']);
    useTranslations({ en: 'de' });
    assert.deepEqual(amounts(), ['1.234.567', '-1234,6', '1,3 GiB', '1012 B']);
    assert.equal(tCount(12_345, '1 step', '{0} steps'), '12.345 steps');
    useTranslations({});
    assert.deepEqual(amounts(), ['1,234,567', '-1234.6', '1.3 GiB', '1012 B']);
  });

  it('treats arguments as plain text', () => {
    assert.equal(t('{0} and {1}', '{1}$&', '{0}'), '{1}$& and {0}');
    assert.equal(t('{0} and {7}', 'a'), 'a and {7}');
  });
});
