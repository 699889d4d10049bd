/** How the recorder names the run of what a program does after its training: `20261128-9-after-step-40`. */
const FOLLOWS = /-after-step-(\d+)(?: rank\d+)?$/;

/** The last step of the training run that came before, from the id of a run of the recorder; null for a run without one. */
export function trainedSteps(id: string): number | null {
  const step = FOLLOWS.exec(id)?.[1];
  return step === undefined ? null : Number(step);
}

/** A recorder's folder has the name of its run: `recordings/20261128-9/20261128-9`, or `…/20261128-9-after-step-40`. */
export function withoutRepetition(id: string): string {
  return id.replace(/(?<=^|\/)([^/]+)\/(?=\1(?:-after-step-\d+)?$)/, '');
}
