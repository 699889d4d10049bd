/** A control as the rest of the webview sees it: it reports the user's choices only, not calls of `show`. */
export interface Control<Shown extends readonly unknown[]> {
  readonly element: HTMLElement;
  show(...shown: Shown): void;
}
