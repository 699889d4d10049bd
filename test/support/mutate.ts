/** Files as accidents and enemies leave them. */

/** A copy of `whole` with a few bytes changed, moved, repeated or cut off, the same for the same random numbers. */
export function mutated(whole: Uint8Array, random: (below: number) => number): Uint8Array {
  let bytes = Uint8Array.from(whole);
  for (let change = 0; change <= random(4); change++) {
    const at = random(bytes.length);
    const length = 1 + random(16);
    switch (random(6)) {
      case 0:
        bytes.copyWithin(at, random(bytes.length), random(bytes.length));
        break;
      case 1:
        bytes = Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + length)]);
        break;
      case 2:
        bytes = Uint8Array.from([...bytes.subarray(0, at + length), ...bytes.subarray(at)]);
        break;
      default:
        bytes[at] = random(256);
    }
    if (bytes.length === 0) return bytes;
  }
  return random(8) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
}
