/**
 * Messages on their way to the page, typed arrays as the bytes they are: VS Code hands them to a webview without a
 * detour over text, and so does this. Each is two lengths, its JSON, and the bytes of its arrays.
 */

interface Packed {
  typedArray: 'Float64Array' | 'Uint32Array' | 'Uint8Array';
  at: number;
  byteLength: number;
}

/** The bytes of one message. */
export function encoded(message: unknown): Buffer {
  const arrays: Buffer[] = [];
  let length = 0;
  const packed = (value: unknown): unknown => {
    if (value instanceof Float64Array || value instanceof Uint32Array || value instanceof Uint8Array) {
      const { buffer, byteOffset, byteLength } = value;
      arrays.push(Buffer.from(buffer, byteOffset, byteLength));
      const typedArray = value.constructor.name as Packed['typedArray'];
      length += byteLength;
      return { typedArray, at: length - byteLength, byteLength } satisfies Packed;
    }
    if (Array.isArray(value)) return value.map(packed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, packed(part)]));
  };
  const json = Buffer.from(JSON.stringify(packed(message)));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(json.length, 0);
  lengths.writeUInt32LE(length, 4);
  return Buffer.concat([lengths, json, ...arrays]);
}

/**
 * Runs in the page before its policy is there, so it stands alone: hands each message of `/messages` to the webview's
 * listeners.
 * @returns settles once the page can be written to
 */
export async function listen(): Promise<void> {
  const { body } = await fetch('/messages');
  if (body === null) throw new Error('no messages');
  const valueOf = (packed: unknown, bytes: ArrayBuffer): unknown => {
    if (Array.isArray(packed)) return packed.map((part) => valueOf(part, bytes));
    if (typeof packed !== 'object' || packed === null) return packed;
    if ('typedArray' in packed) {
      const { typedArray, at, byteLength } = packed as Packed;
      return new { Float64Array, Uint32Array, Uint8Array }[typedArray](bytes.slice(at, at + byteLength));
    }
    return Object.fromEntries(Object.entries(packed).map(([key, part]) => [key, valueOf(part, bytes)]));
  };
  const deliver = (bytes: Uint8Array, jsonLength: number): void => {
    const packed: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(0, jsonLength)));
    window.postMessage(valueOf(packed, bytes.slice(jsonLength).buffer), '*');
  };
  const read = async (): Promise<void> => {
    let rest = new Uint8Array();
    for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
      const joined = new Uint8Array(rest.length + piece.length);
      joined.set(rest);
      joined.set(piece, rest.length);
      rest = joined;
      while (rest.length >= 8) {
        const lengths = new DataView(rest.buffer, rest.byteOffset, 8);
        const jsonLength = lengths.getUint32(0, true);
        const end = 8 + jsonLength + lengths.getUint32(4, true);
        if (rest.length < end) break;
        deliver(rest.subarray(8, end), jsonLength);
        rest = rest.subarray(end);
      }
    }
  };
  read().catch(() => undefined); // the page is being left
}
