/** The colors of bands: of one family, distinguished by hue, and beside each other by their outlines and words. */
import type { Category } from '../../src/protocol/bandData.js';
import type { ChartTheme } from '../ui/theme.js';
import { isUnjudged } from './bandText.js';
import type { StackedBands } from '../model/stackedBands.js';

export type Rgb = readonly [red: number, green: number, blue: number];

export interface BandPaint {
  fill: Rgb;
  /** The fill of every other block, so that neighbors of one line can be distinguished. */
  alternate: Rgb;
  edge: Rgb;
  /** Striped: not one line's. */
  striped: boolean;
}

/** An edge is so much of its band's color. */
const EDGE_SHADE = 0.6;
/** Degrees between one hue and the next: a golden section, so that neighbors in rank are far apart. */
const HUE_STEP = 137.508;
const FIRST_HUE = 205;

/** Verdicts have fixed colors. */
const VERDICT_HUES: Readonly<Partial<Record<string, number>>> = { growing: 40, cycle: 275, periodic: 200 };
/** What is calm is gray: each kind has its own tint and shade, so that it is known before one zooms. */
const GRAYS: Readonly<Partial<Record<string, Gray>>> = {
  steady: { hue: 220, saturation: 0.06, shade: 0.02 },
  plateau: { hue: 160, saturation: 0.16, shade: 0.05 },
  oneOff: { hue: 320, saturation: 0.14, shade: 0.08 },
  tooShort: { hue: 30, saturation: 0.14, shade: 0.02 },
  unjudged: { hue: 205, saturation: 0.18, shade: 0.16 },
  noStack: { hue: 55, saturation: 0.14, shade: 0.12 },
  library: { hue: 235, saturation: 0.26, shade: -0.02 },
  beforeRecording: { hue: 210, saturation: 0.04, shade: -0.07 },
};
/** The uses of memory from before the recording. */
const USE_GRAYS: Readonly<Partial<Record<Category, Gray>>> = {
  parameters: { hue: 190, saturation: 0.28, shade: -0.04 },
  gradients: { hue: 345, saturation: 0.14, shade: -0.03 },
  optimizerState: { hue: 35, saturation: 0.12, shade: 0.03 },
};
/** Neighbors of one color differ by so much. */
const SHADES = [0, 0.04];
/** Shares of the leak color, to distinguish leaks on top of each other. */
const LEAK_SHARES = [1, 0.74];

interface Gray {
  hue: number;
  saturation: number;
  /** Further from the background by so much. */
  shade: number;
}

/** A paint for each series, and for the others. @param theme the page's background, and the color of leaks */
export function paintsOf(stacked: StackedBands, theme: Pick<ChartTheme, 'background' | 'leak'>): BandPaint[] {
  const [background, leak] = [rgbOfCss(theme.background), rgbOfCss(theme.leak)];
  const dark = luminance(background) < 0.4;
  const { bands } = stacked;
  const unjudged = isUnjudged(bands);
  let leaks = 0;
  const paints = bands.allSeries.map(({ id, group, bucket, use }, series) => {
    const { name, rank } = bands.groups[group];
    const shade = SHADES[series % SHADES.length];
    const isJudged = bands.grouping === 'verdict' && !unjudged;
    if (isJudged && name === 'leak') {
      const share = LEAK_SHARES[leaks++ % LEAK_SHARES.length];
      const fill = mixed(leak, background, share);
      return { ...edged(fill, mixed(leak, background, share * 0.86)), striped: false };
    }
    const hue = isJudged ? VERDICT_HUES[name] : undefined;
    if (hue !== undefined) return paint(hue, 0.4, dark, shade);
    const kind = bands.grouping === 'age' || bands.grouping === 'category' ? null : bucket;
    const gray =
      (use !== undefined && kind !== null ? USE_GRAYS[use] : undefined) ?? GRAYS[kind ?? (isJudged ? name : '')];
    if (gray !== undefined) return paint(gray.hue, gray.saturation, dark, gray.shade + shade / 2);
    const turn = unjudged ? id : rank;
    return paint((FIRST_HUE + turn * HUE_STEP) % 360, 0.45, dark, shade);
  });
  return [...paints, { ...paint(40, 0.08, dark), striped: true }];
}

/** @param shade further from the background by so much */
function paint(hue: number, saturation: number, dark: boolean, shade = 0): BandPaint {
  const [own, other] = dark ? [0.36 + shade, 0.41 + shade] : [0.78 - shade, 0.83 - shade];
  return { ...edged(rgbOf(hue, saturation, own), rgbOf(hue, saturation, other)), striped: false };
}

function edged(fill: Rgb, alternate: Rgb): Omit<BandPaint, 'striped'> {
  const shade = (channel: number): number => Math.round(channel * EDGE_SHADE);
  return { fill, alternate, edge: [shade(fill[0]), shade(fill[1]), shade(fill[2])] };
}

function mixed(a: Rgb, b: Rgb, share: number): Rgb {
  const of = (at: 0 | 1 | 2): number => Math.round(a[at] * share + b[at] * (1 - share));
  return [of(0), of(1), of(2)];
}

/** `rgb(…)` and `#…` as a browser computes them; black where it is neither. */
function rgbOfCss(color: string): Rgb {
  const hex = /^#([0-9a-f]{6})/i.exec(color)?.[1];
  if (hex !== undefined) {
    const value = Number.parseInt(hex, 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  }
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
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
