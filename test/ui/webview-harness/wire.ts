/** Typed arrays on their way to the page, which takes JSON only; VS Code hands them to a webview as they are. */

interface Packed {
  typedArray: 'Float64Array' | 'Uint32Array' | 'Uint8Array';
  base64: string;
}

/** A copy of `value` in which each typed array is text. */
export function packed(value: unknown): unknown {
  if (value instanceof Float64Array || value instanceof Uint32Array || value instanceof Uint8Array) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    const typedArray = value.constructor.name as Packed['typedArray'];
    return { typedArray, base64: bytes.toString('base64') } satisfies Packed;
  }
  if (Array.isArray(value)) return value.map(packed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, packed(part)]));
}

/** Runs in the page, so it stands alone: undoes {@link packed} and hands the message to the webview's listeners. */
export function deliver(message: unknown): void {
  const unpacked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(unpacked);
    if (typeof value !== 'object' || value === null) return value;
    if ('typedArray' in value) {
      const { typedArray, base64 } = value as Packed;
      const { buffer } = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
      return new { Float64Array, Uint32Array, Uint8Array }[typedArray](buffer);
    }
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unpacked(part)]));
  };
  window.postMessage(unpacked(message), '*');
}
