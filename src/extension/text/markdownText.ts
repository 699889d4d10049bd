import { visibleLines } from '../../core/text/plainText.js';

/** Escapes text from a snapshot for Markdown: it never becomes markup, a link or an image. */
export function escapeMarkdown(text: string): string {
  return visibleLines(text)
    .replace(/[\\`*_{}[\]()#+\-.!|<>~&$"':/@]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/\s+/g, ' ');
}

/** A `command:` link whose label is plain text. */
export function commandLink(label: string, command: string, args: readonly unknown[]): string {
  return `[${escapeMarkdown(label)}](command:${command}?${encodeURIComponent(JSON.stringify(args)).replace(
    /[()]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )})`;
}
