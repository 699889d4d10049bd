/** The tools for agents. Those that the editor has too are described in package.json. */
import type { JsonSchemaType } from '@modelcontextprotocol/server';
import { contributes } from '../../../package.json';

/** Tools only read files, without network. */
const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const Tool = {
  listLeaks: 'list_gpu_memory_leaks',
  explainLeak: 'explain_gpu_memory_leak',
  compareSnapshots: 'compare_gpu_memory_snapshots',
  whatIf: 'gpu_memory_what_if',
  explainOom: 'explain_gpu_out_of_memory',
  atPeak: 'gpu_memory_at_peak',
  rankDifferences: 'gpu_memory_rank_differences',
  howToRecord: 'how_to_record_gpu_memory',
} as const;

interface AgentTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchemaType;
  readonly annotations: typeof READS;
}

/** The titles of the editor's tools; VS Code shows its users others. */
const TITLES: Readonly<Record<string, string>> = {
  [Tool.listLeaks]: 'List GPU memory leaks',
  [Tool.explainLeak]: 'Explain a GPU memory leak',
  [Tool.compareSnapshots]: 'Compare GPU memory snapshots',
  [Tool.whatIf]: 'What other settings would reserve',
  [Tool.explainOom]: 'Explain an out-of-memory message',
};

export const TOOLS: readonly AgentTool[] = [
  ...contributes.languageModelTools.map(({ name, modelDescription, inputSchema }) => ({
    name,
    title: TITLES[name],
    description: modelDescription,
    inputSchema: inputSchema as JsonSchemaType,
    annotations: READS,
  })),
  {
    name: Tool.atPeak,
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
    name: Tool.rankDifferences,
    title: 'Compare ranks',
    description:
      'Of a distributed run: lines that leak on some ranks and not on others, ranks without a snapshot, and ranks whose snapshots end at an earlier step.',
    inputSchema: { type: 'object', properties: {} },
    annotations: READS,
  },
  {
    name: Tool.howToRecord,
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
