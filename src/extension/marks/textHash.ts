import { createHash } from 'node:crypto';

/** True if a text could be a file with this SHA-256, whatever its line ends and whether or not it has a byte order mark. */
export function hasHash(text: string, sha256: string): boolean {
  const unix = text.replace(/\r\n/g, '\n');
  const bare = unix.replace(/^\uFEFF/, '');
  const forms = [bare, bare.replace(/\n/g, '\r\n')].flatMap((form) => [form, `\uFEFF${form}`]);
  return forms.some((form) => createHash('sha256').update(form, 'utf8').digest('hex') === sha256);
}

/** Lines of a text without their ends. */
export function textLines(text: string): string[] {
  return text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
}
