/** The colors and fonts of the theme, for canvases. The style sheet has them for everything else. */

/** Colors, as the style sheet names them after `--leakline-`. */
const COLORS = [
  ...(['grid', 'background', 'leak', 'live', 'liveFill', 'reserved', 'changed', 'capacity'] as const),
  ...(['snapshot', 'outOfMemory', 'collector', 'step'] as const),
] as const;
type Colors = Record<(typeof COLORS)[number], string>;

export interface ChartTheme extends Colors {
  text: string;
  /** Colors of overlaid curves. With more curves, they repeat. */
  series: readonly string[];
  fontFamily: string;
  /** Pixels. */
  fontSize: number;
}

/** Reads the style sheet's theme values at `element`. */
export function readTheme(element: HTMLElement): ChartTheme {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(`--leakline-${name}`).trim() || style.color;
  return {
    ...(Object.fromEntries(COLORS.map((name) => [name, color(name)])) as Colors),
    text: style.color,
    series: [0, 1, 2, 3, 4, 5].map((index) => color(`series-${index}`)),
    fontFamily: style.fontFamily,
    fontSize: Number.parseFloat(style.fontSize),
  };
}

/** Calls back when the theme changes, also a color or font. VS Code changes the root and the body. */
export function watchTheme(onChange: () => void): void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class'] });
  observer.observe(document.body, {
    attributes: true,
    attributeFilter: ['class', 'data-vscode-theme-kind', 'data-vscode-theme-id'],
  });
}
