/** The colours and fonts of the theme, for what is drawn on a canvas. Everything else takes them from the style sheet. */

export interface ChartTheme {
  text: string;
  grid: string;
  leak: string;
  live: string;
  liveFill: string;
  reserved: string;
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

/** Reads what the style sheet derives from the theme at `element`. */
export function readTheme(element: HTMLElement): ChartTheme {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--leakline-${name}`).trim() || style.color;
  return {
    text: style.color,
    grid: colour('grid'),
    leak: colour('leak'),
    live: colour('live'),
    liveFill: colour('live-fill'),
    reserved: colour('reserved'),
    capacity: colour('capacity'),
    snapshot: colour('snapshot'),
    outOfMemory: colour('out-of-memory'),
    collector: colour('collector'),
    step: colour('step'),
    background: colour('background'),
    series: [0, 1, 2, 3, 4, 5].map((index) => colour(`series-${index}`)),
    fontFamily: style.fontFamily,
    fontSize: Number.parseFloat(style.fontSize),
  };
}

/** Calls back when the theme, or a colour or font of it, changes. VS Code says so on the root and the body. */
export function watchTheme(onChange: () => void): void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class'] });
  observer.observe(document.body, {
    attributes: true,
    attributeFilter: ['class', 'data-vscode-theme-kind', 'data-vscode-theme-id'],
  });
}
