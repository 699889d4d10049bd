/** A control as the rest of the webview sees it. */
export interface Control {
  readonly element: HTMLElement;
}
