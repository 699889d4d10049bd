import { round, type Picture, type Shape } from './picture.js';

/** A picture as an SVG file. Texts and attributes are escaped: nothing that a snapshot contains becomes markup. */
export function svgOf({ width, height, background, fontFamily, fontSize, shapes }: Picture, title: string): string {
  const size = `width="${round(width)}" height="${round(height)}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${round(width)} ${round(height)}" role="img"`,
    ` font-family="${escaped(fontFamily)}" font-size="${round(fontSize)}">\n`,
    `<title>${escaped(title)}</title>\n`,
    `<rect ${size} fill="${escaped(background)}"/>\n`,
    ...shapes.map((shape) => `${elementOf(shape, fontSize)}\n`),
    '</svg>\n',
  ].join('');
}

function elementOf(shape: Shape, fontSize: number): string {
  switch (shape.kind) {
    case 'rect': {
      const { x, y, width, height } = shape;
      return `<rect ${attributes({ x, y, width, height })} ${paints(shape)}/>`;
    }
    case 'path':
      return `<path d="${escaped(shape.d)}" ${paints(shape)}/>`;
    case 'image': {
      const { x, y, width, height, image } = shape;
      return `<image ${attributes({ x, y, width, height })} href="${image.toDataURL('image/png')}"/>`;
    }
    case 'text': {
      const { x, y, text, fill, anchor = 'start', bold = false, clip, size = fontSize } = shape;
      const style = [
        `fill="${escaped(fill)}"`,
        ...(anchor === 'start' ? [] : [`text-anchor="${anchor}"`]),
        ...(bold ? ['font-weight="bold"'] : []),
        ...(size === fontSize ? [] : [`font-size="${round(size)}"`]),
      ].join(' ');
      // The middle of the letters is about a third of their size above the line that they stand on.
      const place = (left: number, middle: number): string => attributes({ x: left, y: middle + size * 0.35 });
      if (clip === undefined) return `<text ${place(x, y)} ${style}>${escaped(text)}</text>`;
      const frame = attributes({ x: clip.x, y: y - size, width: Math.max(0, clip.width), height: 2 * size });
      return `<svg ${frame}><text ${place(x - clip.x, size)} ${style}>${escaped(text)}</text></svg>`;
    }
  }
}

function paints({
  fill = 'none',
  stroke,
  dash,
  ...more
}: {
  fill?: string;
  stroke?: string;
  strokeWidth?: number;
  dash?: readonly number[];
}): string {
  const width = more.strokeWidth ?? 1;
  return [
    `fill="${escaped(fill)}"`,
    ...(stroke === undefined ? [] : [`stroke="${escaped(stroke)}" stroke-width="${round(width)}"`]),
    ...(dash === undefined || dash.length === 0 ? [] : [`stroke-dasharray="${dash.join(' ')}"`]),
  ].join(' ');
}

function attributes(places: Record<string, number>): string {
  return Object.entries(places)
    .map(([name, value]) => `${name}="${round(value)}"`)
    .join(' ');
}

/** Control characters are no XML, whatever is written for them. */
function escaped(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex -- they are what is looked for
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])/g, '\ufffd')
      .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
  );
}
