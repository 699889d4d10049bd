/** What a flame graph is folded and led back by, whatever it shows. */
import { el } from '../dom.js';
import { strings } from '../strings.js';
import { createButton } from '../ui/button.js';
import { createCheckbox } from '../ui/checkbox.js';

export interface FlameControls {
  readonly elements: readonly HTMLElement[];
  show(folded: boolean, isFocused: boolean): void;
}

export function createFlameControls(on: {
  fold: (folded: boolean) => void;
  back: () => void;
  everything: () => void;
}): FlameControls {
  const fold = createCheckbox({ text: strings.foldLibraries, onChange: on.fold });
  const back = createButton({ text: strings.flameBack, hint: strings.flameBackHint, onPress: on.back });
  const whole = createButton({ text: strings.flameWhole, hint: strings.flameWholeHint, onPress: on.everything });
  return {
    elements: [fold.element, el('span', { class: 'together' }, back.element, whole.element)],
    show: (folded, isFocused) => {
      fold.show(folded);
      for (const button of [back, whole]) button.setEnabled(isFocused);
    },
  };
}
