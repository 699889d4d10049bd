import type { Candidate, FailedStack } from './candidateSearch.js';
import type { ReportWorkspace } from '../reportWorkspace.js';

/** Finds the candidates on the way to failed requests. The first request in a workspace with sources loads the parser. */
export function candidatesIn({
  files,
  sourceText,
}: Pick<ReportWorkspace, 'files' | 'sourceText'>): (stacks: readonly FailedStack[]) => Promise<Candidate[][]> {
  return async (stacks) => {
    if (sourceText === undefined || stacks.length === 0) return stacks.map(() => []);
    const { CandidateSearch } = await import('./candidateSearch.js');
    const search = new CandidateSearch(files, sourceText);
    return stacks.map((stack) => search.candidates(stack));
  };
}
