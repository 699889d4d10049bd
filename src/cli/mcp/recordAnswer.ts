/** How to record: the loop that an agent goes through. @param script as the user runs it */
export function recordAnswer(script: string): string {
  const named = script.trim().replace(/^python3? +/, '');
  return [
    `1. Install once: \`pip install leakline\`. Record some 40 steps: \`leakline run ${JSON.stringify(named).slice(1, -1)}\`.`,
    '   Under torchrun: `torchrun … -m leakline_recorder train.py`. Without an optimizer of torch, call `leakline_recorder.mark_step()` once per step.',
    '2. Snapshots appear in `leakline-recordings`, a folder for each run. Call list_gpu_memory_leaks, then explain_gpu_memory_leak for a finding.',
    '3. Change the holding statement as its fix says. A verdict of `growing` or `tooShort` is no proof: record more steps.',
    '4. Record again, and call compare_gpu_memory_snapshots with the folders of both runs: it says whether the leak is gone.',
  ].join('\n');
}
