/** The colors and fonts of the theme, for canvases. The style sheet has them for everything else. */

export interface ChartTheme {
  text: string;
  grid: string;
  leak: string;
  live: string;
  liveFill: string;
  reserved: string;
  changed: string;
  capacity: string;
  snapshot: string;
  outOfMemory: string;
  collector: string;
  step: string;
  background: string;
  /** Of curves over each other; they begin again where there are more. */
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
    text: style.color,
    grid: color('grid'),
    leak: color('leak'),
    live: color('live'),
    liveFill: color('live-fill'),
    reserved: color('reserved'),
    changed: color('changed'),
    capacity: color('capacity'),
    snapshot: color('snapshot'),
    outOfMemory: color('out-of-memory'),
    collector: color('collector'),
    step: color('step'),
    background: color('background'),
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
