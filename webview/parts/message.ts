/** A sentence in place of content, with an action. */
import { el, setText } from '../ui/dom.js';
import { strings } from '../text/strings.js';
import { createButton } from '../ui/button.js';
import type { Control } from '../ui/control.js';

type Message = Control<[text: string | null]>;

/** @param action a button under the sentence */
export function createMessage(kind: 'error' | 'hint', action?: { text: string; onPress: () => void }): Message {
  const sentence = el('p');
  const element = el('div', { class: `message ${kind}`, role: kind === 'error' ? 'alert' : undefined }, sentence);
  if (action !== undefined) element.append(createButton(action));
  element.hidden = true;
  return {
    element,
    show: (text) => {
      element.hidden = text === null;
      setText(sentence, text ?? '');
      sentence.title = sentence.textContent;
    },
  };
}

/** Shows a failure, with a button that tries again. */
export function createFailure(onRetry: () => void): Message {
  return createMessage('error', { text: strings.retry, onPress: onRetry });
}
