/** Explanations of a text that arrives in pieces. */
import { explainFailures, FailureList, type OomExplanation } from '../../../src/core/oom/explanation.js';
import { FailureReader } from '../../../src/core/oom/failureReader.js';

export function explained(text: string, files: readonly string[] = [], piece = text.length): OomExplanation[] {
  const list = new FailureList();
  const reader = new FailureReader((failure) => list.add(failure));
  for (let at = 0; at < text.length; at += piece) reader.push(text.slice(at, at + piece));
  reader.end();
  return explainFailures([{ failures: list, rank: null }], { files, rules: [] }).map(({ explanation }) => explanation);
}
