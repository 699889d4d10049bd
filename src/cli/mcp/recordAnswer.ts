/** Instructions for an agent: record, fix, record again. @param script as the user runs it */
export function recordAnswer(script: string): string {
  const named = script.trim().replace(/^python3? +/, '');
  return [
    `1. Install once: \`pip install leakline\`. Record about 40 steps: \`leakline run ${JSON.stringify(named).slice(1, -1)}\`.`,
    '   Under torchrun: `torchrun … -m leakline_recorder train.py`. Without a torch optimizer, call `leakline_recorder.mark_step()` once per step.',
    '2. Snapshots appear in `leakline-recordings`, in one folder per run. Call list_gpu_memory_leaks, then explain_gpu_memory_leak for a finding.',
    '3. Apply the fix to the statement that holds the memory. A verdict of `growing` or `tooShort` is not a proof: record more steps.',
    '4. Record again, and call compare_gpu_memory_snapshots with the folders of both runs. The answer is whether the leak is gone.',
  ].join('\n');
}
