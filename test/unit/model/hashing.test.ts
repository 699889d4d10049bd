import assert from 'node:assert/strict';
import { AddressTable } from '../../../src/core/model/addressTable.js';
import {
  addressHash,
  drawHashKey,
  PROCESS_KEY,
  textHash,
  tripleHash,
  type HashKey,
} from '../../../src/core/model/hashing.js';
import { StringPool } from '../../../src/core/model/stringPool.js';
import { seededRandom } from '../../support/seededRandom.js';

/** A key that the maker of a file has guessed, or read in the source of an earlier version. */
const GUESSED: HashKey = { start: 0x811c9dc5 | 0, factor: 0x01000193 };
const KEYS = 2048;
/** Fewer, for each takes thousands of tries to find. */
const COLLIDING = 512;

const placesFor = (keys: number): number => 4 * keys;

/** Looks that a table of open addresses takes until it holds all keys, as our tables do it. */
function looks(hashes: readonly number[]): number {
  const places = placesFor(hashes.length);
  const taken = new Uint8Array(places);
  let count = 0;
  for (const hash of hashes) {
    let place = hash & (places - 1);
    count++;
    for (; taken[place] === 1; place = (place + 1) & (places - 1)) count++;
    taken[place] = 1;
  }
  return count;
}

/** Values whose hashes under the guessed key end alike. */
function colliding<T>(candidate: (i: number) => T, hash: (value: T, key: HashKey) => number): T[] {
  const found: T[] = [];
  for (let i = 0; found.length < COLLIDING; i++) {
    const value = candidate(i);
    if ((hash(value, GUESSED) & (placesFor(COLLIDING) - 1)) === 0) found.push(value);
  }
  return found;
}

type Words = readonly [number, number, number];
const hashOfText = (bytes: Uint8Array, key: HashKey): number => textHash(bytes, 0, bytes.length, key);
const hashOfAddress = ([low, high]: Words, key: HashKey): number => addressHash(low, high, key);
const hashOfFrame = ([name, file, line]: Words, key: HashKey): number => tripleHash(name, file, line, key);

describe('Hashes', () => {
  const random = seededRandom(1);
  const wordsOf = (i: number): Words => [(i * 512) | 0, 0x7f00 + random(16), random(1000)];
  let texts: Uint8Array[];
  let addresses: Words[];
  let frames: Words[];
  before(() => {
    texts = colliding((i) => Buffer.from(`/train/model_${i.toString(36)}.py`), hashOfText);
    addresses = colliding(wordsOf, hashOfAddress);
    frames = colliding(wordsOf, hashOfFrame);
  });

  const hashesOf = (key: HashKey): number[][] => [
    texts.map((text) => hashOfText(text, key)),
    addresses.map((words) => hashOfAddress(words, key)),
    frames.map((words) => hashOfFrame(words, key)),
  ];

  it('collide in a file that is made for a key that is known: each is searched for behind all others', () => {
    for (const hashes of hashesOf(GUESSED)) assert.equal(looks(hashes), (COLLIDING * (COLLIDING + 1)) / 2);
  });

  it('do not under the key of this process, nor any other: such a file takes as many looks as an honest one', () => {
    for (const key of [PROCESS_KEY, ...Array.from({ length: 50 }, drawHashKey)]) {
      for (const hashes of hashesOf(key)) assert.ok(looks(hashes) < 3 * COLLIDING, JSON.stringify(key));
    }
  });

  it('are close to chance for honest files', () => {
    const names = Array.from({ length: KEYS }, (_, i) => Buffer.from(`op_${i}`));
    const blocks = Array.from({ length: KEYS }, (_, i): Words => [(0x10000000 + i * 512) | 0, 0x7f2a, 0]);
    const segments = Array.from({ length: KEYS }, (_, i): Words => [(i * 0x1400000) | 0, 0x7f00 + (i >> 8), 0]);
    const lines = Array.from({ length: KEYS }, (_, i): Words => [i % 13, i % 7, i]);
    for (const key of [PROCESS_KEY, ...Array.from({ length: 50 }, drawHashKey)]) {
      for (const hashes of [
        names.map((name) => hashOfText(name, key)),
        blocks.map((words) => hashOfAddress(words, key)),
        segments.map((words) => hashOfAddress(words, key)),
        lines.map((words) => hashOfFrame(words, key)),
      ]) {
        assert.ok(looks(hashes) < 3 * KEYS, JSON.stringify(key));
      }
    }
  });

  it('number distinct entries in the order of the file, for any key', () => {
    const pool = new StringPool();
    const table = new AddressTable();
    texts.forEach((text, i) => {
      assert.equal(pool.intern(text, 0, text.length), i + 1);
    });
    addresses.forEach(([low, high], row) => {
      table.set(low, high, row);
    });
    assert.equal(table.size, new Set(addresses.map(([low, high]) => `${low}/${high}`)).size);
    texts.forEach((text, i) => {
      assert.equal(pool.intern(text, 0, text.length), i + 1);
      assert.equal(pool.text(i + 1), Buffer.from(text).toString());
    });
  });
});
