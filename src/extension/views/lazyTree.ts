import * as vscode from 'vscode';
import { visibleLines } from '../../core/text/plainText.js';
import type { Disposer } from '../disposer.js';
import type { Row, RowTree } from './rows.js';

/** A view without rows at first: its tree is loaded when VS Code requests rows. */
export class LazyTree implements vscode.TreeDataProvider<Row>, Disposer {
  private readonly changedEmitter = new vscode.EventEmitter<void>();

  readonly onDidChangeTreeData = this.changedEmitter.event;
  readonly view: vscode.TreeView<Row>;

  constructor(
    id: string,
    private readonly tree: () => Promise<RowTree>,
    canSelectMany = false,
  ) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true, canSelectMany });
  }

  async getChildren(row?: Row): Promise<Row[]> {
    return (await this.tree()).getChildren(row);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const item = row.item();
    if (typeof item.label === 'string') item.label = visibleLines(item.label);
    if (typeof item.description === 'string') item.description = visibleLines(item.description);
    if (typeof item.tooltip === 'string') item.tooltip = visibleLines(item.tooltip);
    return item;
  }

  getParent({ parent }: Row): Row | null {
    return parent;
  }

  refresh(): void {
    this.changedEmitter.fire();
  }

  dispose(): void {
    this.view.dispose();
    this.changedEmitter.dispose();
  }
}
