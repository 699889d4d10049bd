import assert from 'node:assert/strict';
import { parseJson } from '../../../src/core/formats/json/parseJson.js';

describe('JSON of which the size alone is bounded', () => {
  it('is parsed as any other, with any text', () => {
    const brackets = '[{'.repeat(5000);
    const value = [{ a: [1, -2.5e3, null, true], [brackets]: brackets }, '\\', '"', '\\"', '\\\\"]', ',,,'];
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2), '""', '7', ' [ ] '])
      assert.deepEqual(parseJson(text), JSON.parse(text));
    for (const text of ['', '[', '"a', '"a\\', '"\\"', '[}', ']']) assert.throws(() => parseJson(text), SyntaxError);
  });

  it('has at most 256 values in each other', () => {
    const nested = (levels: number): string => '[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2);
    assert.ok(parseJson(nested(256)));
    assert.throws(() => parseJson(nested(258)), RangeError);
    assert.ok(parseJson(`[${'[],'.repeat(1000)}[]]`));
  });

  it('has at most 4 million values', () => {
    assert.equal((parseJson(`[${'1,'.repeat(2 ** 22 - 1)}1]`) as []).length, 2 ** 22);
    for (const item of ['1,1,', '[],', '{},']) assert.throws(() => parseJson(`[${item.repeat(2 ** 21)}1]`), RangeError);
  });
});
