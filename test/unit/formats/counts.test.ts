import assert from 'node:assert/strict';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { readInput } from '../../../src/core/formats/readSnapshot.js';
import { MAX_TEXT, StringPool } from '../../../src/core/model/stringPool.js';
import { ATTACKS } from '../../fuzz/hostile.js';
import { bytesSource } from '../../support/bytesSource.js';
import { PickleWriter } from '../../support/pickleWriter.js';
import { readBytes } from '../../support/snapshots.js';

/** The reason against a file of the generator. */
async function refusal(attack: string): Promise<SnapshotError> {
  const files = (await ATTACKS.find(({ name }) => name === attack)?.files()) ?? {};
  const [content] = Object.values(files);
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  try {
    await readInput(bytesSource('x', bytes));
  } catch (error) {
    assert.ok(SnapshotError.is(error), String(error));
    return error;
  }
  assert.fail(`${attack} was read`);
}

describe('Files that name more than there can be', () => {
  const sentences: Record<string, RegExp> = {
    '80,000 devices with empty traces': /names 80,000 devices; PyTorch supports at most 128/,
    '20,000 devices of a profiler': /names 20,000 devices; PyTorch supports at most 128/,
    '30,000 calls in each other, and as many events': /refers to the same stack far more often/,
    'a gzip file whose name is 40 MB long': /many almost empty compressed parts/,
    'a gzip file of empty blocks': /many almost empty compressed parts/,
    'a gzip file of 500,000 empty members': /many almost empty compressed parts/,
  };
  for (const [attack, sentence] of Object.entries(sentences)) {
    it(`are refused by content: ${attack}`, async () => {
      const { reason, message } = await refusal(attack);
      assert.equal(reason, 'limit', message);
      assert.match(message, sentence);
    });
  }

  it('are refused if members of an archive lie over each other', async () => {
    const { reason, message } = await refusal('256 members of a zip archive in one place');
    assert.equal(reason, 'notASnapshot');
    assert.match(message, /damaged directory/);
  });

  it('are read if it is a long name: its beginning and its end stay', () => {
    const pool = new StringPool();
    const long = `/a/${'ü'.repeat(MAX_TEXT)}/b.py`;
    const text = pool.text(pool.internText(long));
    assert.match(text, /^\/a\/ü+…ü+\/b\.py$/);
    assert.ok(Buffer.byteLength(text) <= MAX_TEXT);
    const whole = 'x'.repeat(MAX_TEXT);
    assert.equal(pool.text(pool.internText(whole)), whole);
  });

  it('with a second header are not reported as another protocol', async () => {
    const bytes = new PickleWriter().bytes(0x5d, 0x80, 4).stop();
    await assert.rejects(readBytes(bytes), /not a readable pickle: a second protocol header at byte 3/);
  });
});
