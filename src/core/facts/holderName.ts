import { t } from '../text/translate.js';

/** The holder's name from recorder or source, in English: words of a name are shown as words, code as code. */
export function holderName(name: string): string {
  const cycle = /^cycle (.+ → .+)$/.exec(name);
  if (cycle !== null) return t('cycle {0}', cycle[1]);
  const cache = /^cache of (\S+\(\))$/.exec(name);
  if (cache !== null) return t('cache of {0}', cache[1]);
  const handled = /^(\S+) being handled in (\S+\(\))$/.exec(name);
  if (handled !== null) return t('{0} being handled in {1}', handled[1], handled[2]);
  return name;
}
