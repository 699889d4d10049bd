/** The colours of bands: of one family, told apart by hue, and beside each other by their outlines and words. */
import type { Pile } from './pile.js';

export type Rgb = readonly [red: number, green: number, blue: number];

export interface BandPaint {
  fill: Rgb;
  /** The fill of every other block, so that neighbours of one line can be told apart. */
  alternate: Rgb;
  edge: Rgb;
  /** Striped: not one line's. */
  striped: boolean;
}

/** An edge is so much of its band's colour. */
export const EDGE_SHADE = 0.6;
/** Degrees between one hue and the next: a golden section, so that neighbours in rank are far apart. */
const HUE_STEP = 137.508;
const FIRST_HUE = 205;

/** Verdicts keep their colours whatever their rank. */
const VERDICT_HUES: Readonly<Record<string, number>> = {
  leak: 8,
  growing: 36,
  cycle: 275,
  periodic: 200,
  plateau: 165,
  oneOff: 90,
  steady: 215,
};

/** A paint for each strand of a pile, and for the others behind them. @param background of the page */
export function paintsOf(pile: Pile, background: Rgb): BandPaint[] {
  const dark = luminance(background) < 0.4;
  const { bands } = pile;
  const paints = bands.strands.map(({ group, bucket }) => {
    const { name, rank } = bands.groups[group];
    const own = bands.grouping === 'verdict' ? VERDICT_HUES[name] : undefined;
    if (own !== undefined) return paint(own, 0.5, dark, false);
    if (bands.grouping !== 'age' && bands.grouping !== 'category' && bucket !== null)
      return paint(220, bucket === 'library' ? 0.12 : 0.04, dark, false);
    if (bands.grouping === 'verdict') return paint(60, 0.1, dark, false);
    return paint((FIRST_HUE + rank * HUE_STEP) % 360, 0.45, dark, false);
  });
  return [...paints, paint(40, 0.08, dark, true)];
}

function paint(hue: number, saturation: number, dark: boolean, striped: boolean): BandPaint {
  const [own, other] = dark ? [0.42, 0.48] : [0.7, 0.76];
  const fill = rgbOf(hue, saturation, own);
  const shade = (channel: number): number => Math.round(channel * EDGE_SHADE);
  return {
    fill,
    alternate: rgbOf(hue, saturation, other),
    edge: [shade(fill[0]), shade(fill[1]), shade(fill[2])],
    striped,
  };
}

/** `rgb(…)` and `#…` as a browser computes them; black where it is neither. */
export function rgbOfCss(colour: string): Rgb {
  const hex = /^#([0-9a-f]{6})/i.exec(colour)?.[1];
  if (hex !== undefined) {
    const value = Number.parseInt(hex, 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  }
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

export function cssOf([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`;
}

function luminance([red, green, blue]: Rgb): number {
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

function rgbOf(hue: number, saturation: number, lightness: number): Rgb {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): number => {
    const at = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}
