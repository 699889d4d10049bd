/** Generated parts of documents, between `<!-- NAME: … -->` and `<!-- end of NAME -->`. */

/** @returns {string} the document with another text in that part */
export function withPart(document, name, text) {
  const part = new RegExp(`(<!-- ${name}: [^\\n]*-->\\n)[^]*?(\\n<!-- end of ${name} -->)`);
  if (!part.test(document)) throw new Error(`No part '${name}' in the document.`);
  return document.replace(part, (_, start, end) => `${start}\n${text}\n${end}`);
}
