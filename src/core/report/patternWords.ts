import type { Finding } from '../keepers/judge/finding.js';
import { forEachStatement, type PythonModule } from '../python/pythonModule.js';

/** Who keeps, in words that follow "kept by". */
export function keeperText(finding: Finding): string {
  const holder = holderName(finding);
  const kept = finding.kept;
  switch (finding.kind) {
    case 'put':
      return finding.through === 'graph' && kept !== '' ? `${holder}, with the graph of each ${kept}` : holder;
    case 'chain':
      return `${holder}, whose graph grows with every step`;
    case 'grown':
      return `${holder}, which every step makes longer`;
    case 'hook':
      return `${holder}, on which the hook ${kept} is registered again and again`;
    case 'cache':
      return holder;
    case 'error':
      return `${holder}, with the traceback of each ${kept}`;
    case 'doubleBackward':
      return `the gradients of ${kept}, which have a graph (create_graph=True) and keep each other alive`;
    case 'context':
      return `${holder}, an output on its own graph`;
    case 'autocast':
      return 'the weight cache of an autocast block that is not left between steps';
    case 'cycle':
      return `${holder}, in a reference cycle`;
  }
}

/** What to do about it, in one sentence. */
export function fixText(finding: Finding): string {
  const holder = holderName(finding);
  const { kept } = finding;
  switch (finding.kind) {
    case 'put':
      if (finding.through === 'data') {
        return `Empty ${holder} once it has been used, bound it, or keep copies off the GPU (.detach().cpu()).`;
      }
      return finding.mayDetach
        ? `Keep ${kept} without its graph: .detach(), or .item() where waiting for the GPU does not matter.`
        : `Keep only what is needed later, without its graph: .detach(), or .item() for a number.`;
    case 'chain':
      return kept !== '' && finding.keptSpan !== null
        ? `Add ${kept} without its graph: .detach(), or .item() where waiting for the GPU does not matter.`
        : `Detach ${holder} before the next step uses it, unless gradients are to flow through all steps.`;
    case 'grown':
      return `Bound ${holder}, or keep the parts off the GPU.`;
    case 'hook':
      return 'Register the hook once, or keep the handle that registering returns and call its remove().';
    case 'cache':
      return 'Bound the cache (maxsize), clear it, or cache by something that repeats.';
    case 'error':
      return `Keep the text, str(${kept}), or drop the traceback: ${kept}.with_traceback(None).`;
    case 'doubleBackward':
      return 'Use torch.autograd.grad(..., create_graph=True), or set the .grad of what was differentiated to None afterwards.';
    case 'context':
      return 'Hand outputs to ctx.save_for_backward().';
    case 'autocast':
      return 'Enter autocast in every step anew, or pass cache_enabled=False.';
    case 'cycle':
      return `Make ${holder} a weakref.ref, or set it to None when done.`;
  }
}

/** The holder's name, with the class's in place of `self`. */
function holderName({ holder, module, span }: Finding): string {
  return holder.replace(/^self\b/, () => classAround(module, span.from) ?? 'self');
}

function classAround(module: PythonModule, offset: number): string | null {
  let name: string | null = null;
  forEachStatement(module.body, (statement) => {
    if (statement.kind === 'class' && statement.from <= offset && offset < statement.to) name = statement.name;
  });
  return name;
}
