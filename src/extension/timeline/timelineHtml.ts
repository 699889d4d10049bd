/** The page of the timeline, without data of a snapshot: messages bring it. */
interface TimelinePage {
  /** The value of `webview.cspSource`. */
  cspSource: string;
  /** Fresh random text for this page. */
  nonce: string;
  script: string;
  style: string;
  language: string;
  title: string;
  /** The language's texts by their English; those of the page are among them. Empty for English. */
  texts: Readonly<Record<string, string>>;
}

export function timelineHtml({ cspSource, nonce, script, style, language, title, texts }: TimelinePage): string {
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource} 'nonce-${nonce}'`,
    `img-src ${cspSource} data:`,
    `font-src ${cspSource}`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${attribute(language)}">
  <head>
    <meta charset="UTF-8" />
    <meta http-equiv="Content-Security-Policy" content="${attribute(policy)}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="csp-nonce" content="${nonce}" />
    <title>${attribute(title)}</title>
    <link rel="stylesheet" href="${attribute(style)}" nonce="${nonce}" />
  </head>
  <body>
    <main id="app"></main>
    <script type="application/json" id="texts">${data(texts)}</script>
    <script nonce="${nonce}" src="${attribute(script)}"></script>
  </body>
</html>
`;
}

function attribute(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** JSON that cannot end its HTML element. */
function data(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
