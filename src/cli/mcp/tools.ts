/** The tools for agents. The first five are the editor's too, with equal texts in package.json. */
import type { JsonSchemaType } from '@modelcontextprotocol/server';

/** Tools only read files, without network. */
const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const LIST_LEAKS = 'list_gpu_memory_leaks';
export const EXPLAIN_LEAK = 'explain_gpu_memory_leak';
export const COMPARE_SNAPSHOTS = 'compare_gpu_memory_snapshots';
export const WHAT_IF = 'gpu_memory_what_if';
export const EXPLAIN_OOM = 'explain_gpu_out_of_memory';
export const AT_PEAK = 'gpu_memory_at_peak';
export const RANK_DIFFERENCES = 'gpu_memory_rank_differences';
export const HOW_TO_RECORD = 'how_to_record_gpu_memory';

interface AgentTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchemaType;
  readonly annotations: typeof READS;
}

export const TOOLS: readonly AgentTool[] = [
  {
    name: LIST_LEAKS,
    title: 'List GPU memory leaks',
    description:
      "Lists the GPU memory leaks of this workspace, as found in recorded PyTorch CUDA memory snapshots: one finding per bug at the statement that holds the memory, with fix, evidence and the lines that allocate; then live bytes, growth and rate by line, forecast of out-of-memory, and warnings about what the recording could not see. Use it before guessing why a PyTorch training runs out of CUDA memory. The verdict 'leak' is proved; 'tooShort' and 'growing' are not.",
    inputSchema: { type: 'object', properties: {} },
    annotations: READS,
  },
  {
    name: EXPLAIN_LEAK,
    title: 'Explain a GPU memory leak',
    description:
      'All details of one GPU memory finding: the statement or object that holds the memory, with a fix if one is known; and for each line that allocates it, verdict, evidence, bytes per snapshot and call stacks. Call it for a line that list_gpu_memory_leaks named, holding or allocating, before proposing a change.',
    inputSchema: {
      type: 'object',
      required: ['file', 'line'],
      properties: {
        file: {
          type: 'string',
          description: 'Path relative to the workspace folder, with /, as in the answer of list_gpu_memory_leaks.',
        },
        line: { type: 'integer', minimum: 1, description: '1-based line number.' },
      },
    },
    annotations: READS,
  },
  {
    name: COMPARE_SNAPSHOTS,
    title: 'Compare GPU memory snapshots',
    description:
      'Compares two PyTorch CUDA memory snapshot files of the workspace by source line: live bytes before and after, growth, blocks. Two snapshots alone do not distinguish a leak from growth.',
    inputSchema: {
      type: 'object',
      required: ['before', 'after'],
      properties: {
        before: {
          type: 'string',
          description: 'Path of the earlier snapshot, relative to the workspace folder or absolute.',
        },
        after: {
          type: 'string',
          description: 'Path of the later snapshot, relative to the workspace folder or absolute.',
        },
      },
    },
    annotations: READS,
  },
  {
    name: WHAT_IF,
    title: 'What other settings would reserve',
    description:
      "Replays the allocations of a recorded snapshot with other settings of PyTorch's allocator, or on a device of another size, and says how much each would reserve and whether it would fit. The answer is exact: it is given only where a replay as recorded predicts every address. Use it before you advise PYTORCH_CUDA_ALLOC_CONF, a larger GPU, or another one, for CUDA out of memory or for reserved memory far above live memory.",
    inputSchema: {
      type: 'object',
      required: ['path'],
      properties: {
        path: {
          type: 'string',
          description: 'Path of the snapshot, relative to the workspace folder or absolute.',
        },
        capacity: {
          type: 'string',
          description: 'Memory of the device, such as 24GiB; that of the recorded failure without it.',
        },
        settings: {
          type: 'array',
          items: { type: 'string' },
          description:
            'Settings in the syntax of PYTORCH_CUDA_ALLOC_CONF, such as expandable_segments:True; the usual ones without it.',
        },
      },
    },
    annotations: READS,
  },
  {
    name: EXPLAIN_OOM,
    title: 'Explain an out-of-memory message',
    description:
      'Explains a PyTorch out-of-memory message (CUDA, ROCm, XPU or Metal) by its numbers alone, without a snapshot: request larger than the device, fragmentation, memory outside of PyTorch, a full device, a limit, contradicting or missing numbers; with the line of the workspace that requested memory, if there is a traceback. Pass the message with its traceback as text, or the path of a log. It names no leak: for what holds the memory, record.',
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'The message, with the traceback before it.' },
        path: {
          type: 'string',
          description: 'Path of a log with the message, relative to the workspace folder or absolute; instead of text.',
        },
      },
    },
    annotations: READS,
  },
  {
    name: AT_PEAK,
    title: 'GPU memory at the peak',
    description:
      'What held GPU memory at the peak of each run, by source line, with categories, callers and advice; and, if memory ran out, the line that requested memory and the largest lines at that moment. Use it for CUDA out of memory without a leak.',
    inputSchema: {
      type: 'object',
      properties: {
        rank: { type: 'integer', minimum: 0, description: 'Rank of a distributed run; all ranks without it.' },
      },
    },
    annotations: READS,
  },
  {
    name: RANK_DIFFERENCES,
    title: 'Compare ranks',
    description:
      'Of a distributed run: lines that leak on some ranks and not on others, ranks without a snapshot, and ranks whose snapshots end at an earlier step.',
    inputSchema: { type: 'object', properties: {} },
    annotations: READS,
  },
  {
    name: HOW_TO_RECORD,
    title: 'How to record GPU memory',
    description:
      'The command that runs a training script with the recorder, the steps after it, and the check of a fix.',
    inputSchema: {
      type: 'object',
      properties: {
        script: { type: 'string', description: 'The training script, as it is run now, with its arguments.' },
      },
    },
    annotations: READS,
  },
];
