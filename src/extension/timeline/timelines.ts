import * as vscode from 'vscode';
import { TIMELINE_VIEW_TYPE, View } from '../contributions.js';
import { disposeAll, Listener } from '../disposer.js';
import { EditorCursor } from './editorCursor.js';
import { TimelinePage, type TimelinePlace, type TimelineServices } from './timelinePage.js';
import { TimelineSelection, type TimelineWish } from './timelineSelection.js';

/** The places of the timeline: a view in the panel, and a tab for more space, with one selection. */
export class Timelines extends Listener {
  private readonly services: TimelineServices;
  private readonly selection: TimelineSelection;
  private view: vscode.WebviewView | null = null;
  private tab: vscode.WebviewPanel | null = null;
  private readonly pages = new Set<TimelinePage>();

  constructor(services: Omit<TimelineServices, 'cursor'>) {
    super();
    const cursor = new EditorCursor(services.files, services.lines);
    this.services = { ...services, cursor };
    this.selection = new TimelineSelection(services.store);
    this.subscriptions = [
      { dispose: () => disposeAll([...this.pages, ...(this.tab === null ? [] : [this.tab])]) },
      cursor,
    ];
  }

  /** Shows the timeline where it is open, else under the code; without code to jump to, in the editor's place. */
  async show(wish: TimelineWish, preserveFocus = false): Promise<void> {
    this.selection.ask(wish);
    const isUnderCode = this.view?.visible === true || this.selection.hasCode;
    if (this.tab !== null || !isUnderCode) this.openInEditor(preserveFocus);
    else if (this.view !== null) this.view.show(preserveFocus);
    else await vscode.commands.executeCommand(`${View.timeline}.focus`, { preserveFocus });
    for (const page of this.pages) page.refresh();
  }

  /** Opens the page as a tab, or brings that to the front. */
  openInEditor(preserveFocus = false): void {
    if (this.tab !== null) {
      this.tab.reveal(undefined, preserveFocus);
      return;
    }
    const title = vscode.l10n.t('GPU Memory Timeline');
    const column = { viewColumn: vscode.ViewColumn.Active, preserveFocus };
    this.adopt(vscode.window.createWebviewPanel(TIMELINE_VIEW_TYPE, title, column, {}));
  }

  /** Renders the page for one snapshot into a webview of another surface, such as a custom editor of its file. */
  render(path: string, place: TimelinePlace): TimelinePage {
    const selection = new TimelineSelection(this.services.store, path);
    selection.ask({ path });
    return new TimelinePage(this.services, selection, place);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const page = this.open(view);
    view.onDidChangeVisibility(() => page.refresh());
    view.onDidDispose(() => {
      this.close(page);
      this.view = null;
    });
  }

  /** Takes over the tab of the last session. */
  deserializeWebviewPanel(tab: vscode.WebviewPanel): Promise<void> {
    this.tab?.dispose();
    this.adopt(tab);
    return Promise.resolve();
  }

  private adopt(tab: vscode.WebviewPanel): void {
    this.tab = tab;
    tab.iconPath = vscode.Uri.joinPath(this.services.extensionUri, 'media', 'timeline.svg');
    const page = this.open(tab);
    tab.onDidChangeViewState(() => page.refresh());
    tab.onDidDispose(() => {
      this.close(page);
      if (this.tab === tab) this.tab = null;
    });
  }

  private open(place: TimelinePlace): TimelinePage {
    const page = new TimelinePage(this.services, this.selection, place);
    this.pages.add(page);
    return page;
  }

  private close(page: TimelinePage): void {
    this.pages.delete(page);
    page.dispose();
  }
}
