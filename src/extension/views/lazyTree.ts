import * as vscode from 'vscode';
import { visibleLines } from '../../core/text/plainText.js';
import type { Disposer } from '../disposer.js';

/** A view without rows at first: its tree is loaded when VS Code requests rows. */
export class LazyTree<T> implements vscode.TreeDataProvider<T>, Disposer {
  private readonly changedEmitter = new vscode.EventEmitter<void>();

  readonly onDidChangeTreeData = this.changedEmitter.event;
  readonly view: vscode.TreeView<T>;

  constructor(
    id: string,
    private readonly tree: () => Promise<vscode.TreeDataProvider<T>>,
    canSelectMany = false,
  ) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true, canSelectMany });
  }

  async getChildren(node?: T): Promise<T[]> {
    return (await (await this.tree()).getChildren(node)) ?? [];
  }

  async getTreeItem(node: T): Promise<vscode.TreeItem> {
    const item = await (await this.tree()).getTreeItem(node);
    if (typeof item.label === 'string') item.label = visibleLines(item.label);
    if (typeof item.description === 'string') item.description = visibleLines(item.description);
    if (typeof item.tooltip === 'string') item.tooltip = visibleLines(item.tooltip);
    return item;
  }

  async getParent(node: T): Promise<T | null | undefined> {
    return (await this.tree()).getParent?.(node);
  }

  refresh(): void {
    this.changedEmitter.fire();
  }

  dispose(): void {
    this.view.dispose();
    this.changedEmitter.dispose();
  }
}
