import * as vscode from 'vscode';
import { getOrAdd } from '../../core/maps.js';
import { endOfLine, type Presented, presentFinding, presentLine } from '../../core/present/presented.js';
import { visibleText } from '../../core/text/plainText.js';
import { Color } from '../contributions.js';
import { Listener } from '../disposer.js';
import { isCallerOnly } from '../results/lineMarks.js';
import type { EditorMarks } from './editorMarks.js';
import type { MarkedPlace } from './markedLines.js';

/** `stale`: the line was edited since, or only calls the leaking one. */
const ENDS = {
  ...{ leak: Color.leak, cycle: Color.cycle, growth: Color.growth, shrink: Color.shrink },
  stale: 'editorCodeLens.foreground',
};
/** `holder`: holds memory of other lines. */
const ICONS = ['leak', 'cycle', 'growth', 'holder', 'stale'] as const;
type End = keyof typeof ENDS;
type Icon = (typeof ICONS)[number];

/** The text at the end of marked lines, their marks in the overview ruler, and their icons: a decoration type for each. */
export class LineDecorations extends Listener {
  private readonly ends = new Map(Object.entries(ENDS).map(([tone, color]) => [tone, endType(color)]));
  private icons: ReadonlyMap<Icon, vscode.TextEditorDecorationType>;

  constructor(
    private readonly marks: EditorMarks,
    /** Holds the folder `gutter`. */
    private readonly media: vscode.Uri,
  ) {
    super();
    this.icons = this.iconTypes();
    const refresh = (): void => this.refresh();
    this.subscriptions = [
      ...this.ends.values(),
      { dispose: () => this.disposeIcons() },
      marks.onDidChange(refresh),
      marks.onDidMove(refresh),
      vscode.window.onDidChangeVisibleTextEditors(refresh),
      vscode.debug.onDidChangeBreakpoints(refresh),
      vscode.window.onDidChangeActiveColorTheme(() => {
        this.disposeIcons();
        this.icons = this.iconTypes();
        this.refresh();
      }),
    ];
    this.refresh();
  }

  private refresh(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const ends = new Map<string, vscode.DecorationOptions[]>();
      const icons = new Map<Icon, vscode.Range[]>();
      if (!this.marks.isHiddenIn(editor)) this.decorate(editor.document, ends, icons);
      for (const [tone, type] of this.ends) editor.setDecorations(type, ends.get(tone) ?? []);
      for (const [icon, type] of this.icons) editor.setDecorations(type, icons.get(icon) ?? []);
    }
  }

  private decorate(
    document: vscode.TextDocument,
    ends: Map<string, vscode.DecorationOptions[]>,
    icons: Map<Icon, vscode.Range[]>,
  ): void {
    const { endOfLine: hasEnds, codeLens, gutter } = this.marks.shown;
    // Breakpoints use the same gutter: a line with one gets no icon.
    const occupied = breakpointLines(document.uri);
    const marked = new Set<number>();
    const add = (tone: End, icon: Icon | null, place: MarkedPlace, told: Presented | null): void => {
      const { line, edited } = place;
      const contentText = told === null || !hasEnds ? '' : visibleText(endOfLine(told, codeLens, place));
      getOrAdd(ends, edited ? 'stale' : tone, () => []).push({
        range: document.lineAt(line - 1).range,
        ...(contentText === '' ? {} : { renderOptions: { after: { contentText } } }),
      });
      if (gutter && icon !== null && !occupied.has(line) && !marked.has(line))
        getOrAdd(icons, edited ? 'stale' : icon, () => []).push(new vscode.Range(line - 1, 0, line - 1, 0));
      marked.add(line);
    };
    for (const { item, place } of this.marks.growthIn(document))
      add(item.growthBytes > 0 ? 'growth' : 'shrink', null, place, null);
    for (const { item, place } of this.marks.leaksIn(document)) {
      if (item.tone === 'growing') continue;
      const tone = isCallerOnly(item) ? 'stale' : item.tone;
      add(tone, tone, place, presentLine(item));
    }
    for (const { item, place } of this.marks.holdersIn(document))
      // A leaking line has its own text.
      if (item.tone !== 'growing' && !marked.has(place.line))
        add(item.tone, 'holder', place, presentFinding(item.parts[0]));
  }

  /** Decorations have icons for light and dark only; high-contrast themes need a separate choice. */
  private iconTypes(): ReadonlyMap<Icon, vscode.TextEditorDecorationType> {
    const { kind } = vscode.window.activeColorTheme;
    const { HighContrast, HighContrastLight } = vscode.ColorThemeKind;
    const contrast = kind === HighContrast || kind === HighContrastLight;
    const pathOf = (icon: Icon, theme: string): vscode.Uri =>
      vscode.Uri.joinPath(this.media, 'gutter', `${icon}-${theme}.svg`);
    const typeOf = (icon: Icon): vscode.TextEditorDecorationType =>
      vscode.window.createTextEditorDecorationType({
        gutterIconSize: 'contain',
        light: { gutterIconPath: pathOf(icon, contrast ? 'highContrastLight' : 'light') },
        dark: { gutterIconPath: pathOf(icon, contrast ? 'highContrast' : 'dark') },
      });
    return new Map(ICONS.map((icon) => [icon, typeOf(icon)]));
  }

  private disposeIcons(): void {
    for (const type of this.icons.values()) type.dispose();
  }
}

function endType(color: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    after: { color: new vscode.ThemeColor(color), margin: '0 0 0 2em' },
    overviewRulerColor: new vscode.ThemeColor(color),
    overviewRulerLane: vscode.OverviewRulerLane.Right,
  });
}

/** 1-based lines of a file that have a breakpoint, enabled or not. */
function breakpointLines(uri: vscode.Uri): Set<number> {
  return new Set(
    vscode.debug.breakpoints.flatMap((breakpoint) =>
      breakpoint instanceof vscode.SourceBreakpoint && breakpoint.location.uri.toString() === uri.toString()
        ? [breakpoint.location.range.start.line + 1]
        : [],
    ),
  );
}
