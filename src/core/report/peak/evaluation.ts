/** Evaluation of a model, as sources show it. */

export const EVALUATES = '.eval()';
const TURNS_OFF = /\b(?:no_grad|inference_mode|set_grad_enabled)\b/;

/** True if sources turn autograd off. */
export function turnsOffGradients(texts: readonly string[]): boolean {
  return texts.some((text) => TURNS_OFF.test(text));
}

/** True if sources put a model into evaluation, and never turn autograd off. */
export function isEvaluationWithGraph(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes(EVALUATES)) && !turnsOffGradients(texts);
}
