/** Text of so many bytes at most, cut at the end of a line. */
export function cut(text, mostBytes) {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  const part = Buffer.from(text).subarray(0, mostBytes).toString();
  return `${part.slice(0, part.lastIndexOf('\n'))}\n\nThe rest is left out.\n`;
}
