/** What is made of elements on the page, as a picture: a box for each, with its colours and its text. */
import { cssOf, rgbOfCss } from '../layer/palette.js';
import { hatching, type Picture, type RectShape, type Shape } from './picture.js';

/** Distance of the lines of a hatching. */
const HATCH_STEP = 7;

/**
 * @param root what the boxes are in; all of it is drawn, also what one would have to scroll to
 * @param slopeOf how a box is hatched; 0 for not at all
 */
export function pictureOfBoxes(
  root: HTMLElement,
  boxes: Iterable<HTMLElement>,
  slopeOf: (box: HTMLElement) => 1 | -1 | 0 = () => 0,
): Picture {
  const { left, top } = root.getBoundingClientRect();
  const own = getComputedStyle(root);
  const background = plain(getComputedStyle(document.body).backgroundColor);
  const fontSize = Number.parseFloat(own.fontSize);
  const shapes: Shape[] = [];
  for (const box of boxes) {
    const place = box.getBoundingClientRect();
    const style = getComputedStyle(box);
    const rect = { x: place.left - left, y: place.top - top, width: place.width, height: place.height };
    shapes.push(rectOf(rect, style, background));
    const slope = slopeOf(box);
    if (slope !== 0) shapes.push({ kind: 'path', d: hatching(rect, HATCH_STEP, slope), stroke: faint(style) });
    const text = [...box.childNodes].map((node) => (node instanceof Text ? node.data : '')).join('');
    if (text === '') continue;
    const inset = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.textIndent);
    shapes.push({
      kind: 'text',
      x: rect.x + inset,
      y: rect.y + rect.height / 2,
      text,
      fill: plain(style.color),
      clip: { x: rect.x, width: rect.width },
    });
  }
  return {
    width: Math.ceil(root.scrollWidth),
    height: Math.ceil(root.scrollHeight),
    background,
    fontFamily: own.fontFamily,
    fontSize,
    shapes,
  };
}

function rectOf(
  rect: Pick<RectShape, 'x' | 'y' | 'width' | 'height'>,
  { backgroundColor, borderTopWidth, borderTopColor, borderTopStyle }: CSSStyleDeclaration,
  gap: string,
): RectShape {
  const fill = isClear(backgroundColor) ? {} : { fill: plain(backgroundColor) };
  const hasBorder = Number.parseFloat(borderTopWidth) > 0 && !isClear(borderTopColor);
  const dash = borderTopStyle === 'dashed' ? [3, 2] : [];
  // Neighbours of one colour are told apart by what is between them.
  const border = hasBorder ? { stroke: plain(borderTopColor), dash } : 'fill' in fill ? { stroke: gap } : {};
  return { kind: 'rect', ...rect, ...fill, ...border };
}

/** Between a box's own colour and that of its text, near to the former. */
function faint({ backgroundColor, color }: CSSStyleDeclaration): string {
  const [box, text] = [backgroundColor, color].map((of) => rgbOfCss(plain(of)));
  const mix = (channel: 0 | 1 | 2): number => Math.round(box[channel] * 0.75 + text[channel] * 0.25);
  return cssOf([mix(0), mix(1), mix(2)]);
}

function isClear(colour: string): boolean {
  return colour === 'transparent' || /[,/]\s*0\)$/.test(colour);
}

/** A colour that every program knows: mixed colours are computed in a notation of their own. */
function plain(colour: string): string {
  const channels = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)/.exec(colour);
  if (channels === null) return colour;
  const [red, green, blue] = channels.slice(1).map((channel) => Math.round(Number(channel) * 255));
  return cssOf([red, green, blue]);
}
