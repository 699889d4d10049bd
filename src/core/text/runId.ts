/** The recorder's name of a run that follows a training. */
const FOLLOWS = /-after-step-(\d+)(?: rank\d+)?$/;

/** The last step of the training that a run of the recorder follows, by its id; null for others. */
export function trainedSteps(id: string): number | null {
  const step = FOLLOWS.exec(id)?.[1];
  return step === undefined ? null : Number(step);
}

/** A recorder's folder has the name of its run: `recordings/20261128-9/20261128-9`, or `…/20261128-9-after-step-40`. */
export function withoutRepetition(id: string): string {
  return id.replace(/(?<=^|\/)([^/]+)\/(?=\1(?:-after-step-\d+)?$)/, '');
}
