/**
 * Hashes for tables that a file fills. A random seed prevents files whose keys all collide. Row numbers follow the
 * order of the file, so the result does not depend on the seed.
 */

/** Start and factor of hashes. The factor must be secret too: otherwise sums of equal multiples collide. */
export interface HashKey {
  readonly start: number;
  /** Odd. */
  readonly factor: number;
}

/** Bits of every factor: with these alone, a byte reaches all higher ones. */
const SPREADING = 0x01000193;

export function drawHashKey(): HashKey {
  const draw = (): number => Math.floor(Math.random() * 0x100000000) | 0;
  return { start: draw(), factor: draw() | SPREADING };
}

/** This process's own. */
export const PROCESS_KEY: HashKey = drawHashKey();

/** The hash of `bytes[from .. to)`. */
export function textHash(bytes: Uint8Array, from: number, to: number, { start, factor }: HashKey): number {
  let hash = start;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], factor);
  return mixed(hash);
}

/** The hash of three numbers of at most 32 bits. */
export function tripleHash(a: number, b: number, c: number, { start, factor }: HashKey): number {
  let hash = Math.imul(a ^ start, factor);
  hash = Math.imul(hash ^ (hash >>> 16) ^ b, factor);
  hash = Math.imul(hash ^ (hash >>> 16) ^ c, factor);
  return mixed(hash);
}

/** The hash of the two words of an address. */
export function addressHash(low: number, high: number, { start, factor }: HashKey): number {
  let hash = Math.imul(low ^ start, factor);
  hash = Math.imul(hash ^ (hash >>> 16) ^ high, factor);
  return mixed(hash);
}

/** Mixes all bits (the end of MurmurHash3): factors alone do not mix ascending numbers. */
function mixed(hash: number): number {
  let value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}
