/** What `--help` prints. */
export const HELP = `Usage:
  leakline analyze [options] FILES...   live and leaked GPU memory by source line
  leakline compare [options] A B        growth from snapshot A to snapshot B by source line; of two runs (a folder
                                        of snapshots each) also whether the leak is gone
  leakline digest --out OUT FILES...    write a digest of each snapshot that has none in OUT
  leakline summarize [options] OUT      write a summary of each rank: report then reads no digests
  leakline report [options] OUT         like analyze, from digests and summaries
  leakline facts [options] OUT          write what report says as Parquet tables into OUT/facts, or --out; with --json
                                        as lines of JSON
  leakline clean OUT                    remove digests of different versions, and summaries without digests
  leakline baseline write --root DIR FILES...
                                        record the lines that leak now in DIR/.leakline.json: they count no longer
  leakline mcp --root DIR [FOLDERS...]  answer agents over standard input and output (Model Context Protocol)

FILES are snapshots of torch.cuda.memory._dump_snapshot; a folder stands for every .pickle and
.pkl file below it, gzipped or not, and for graphs of PyTorch's cycle detector (*cycle*.html, .dot)
and logs of memory_stats() (memory_stats*.json, .jsonl), memory_summary() (memory_summary*.txt) and
nvidia-smi (nvidia-smi*.csv). Of several snapshots in one file each has a number: page.html#2.
Snapshots of one training process are judged together as a run.

Options:
  --root DIR        workspace whose files the recorded paths are mapped to; without it they stay as recorded
  --map FROM=TO     recorded folder FROM is folder TO of the workspace (may be repeated)
  --json            print the report as JSON
  --markdown        print the report as Markdown, to paste into an issue
  --sarif           print what analyze finds as SARIF 2.1.0, for code scanning
  --github          print what analyze finds as annotations for GitHub Actions
  --out FILE        write the report into FILE
  --fail-on WHAT    end with exit code 1 if analyze finds a verdict (leak, growing, …), or if compare gives an
                    answer (worse, same, smaller, cannotTell); several with commas
                    incomplete: ranks or files are missing
  --budget SIZE     bytes that may leak per step, such as 512KiB, in place of the budget in DIR/.leakline.json
  --rank-pattern R  regular expression that finds the rank in a path as its group: '_(\\d+)\\.pickle'
  --cache DIR       keep digests of what analyze reads in DIR, and read from there the next time
  --jobs N          threads that read files, for analyze and digest
  --shard I/N       this task's part of digest and summarize, 0 to N-1; without it as Slurm, MPI, Kubernetes or
                    AWS Batch says; --shards N where these tell the index alone
  --name NAME       name of a snapshot on standard input: leakline digest - --name x.pickle --out OUT
  --expect-ranks N  ranks that the job has; without it the recorder's count
  --all             print every line and every rank, not only the largest
  --help            print this text
  --version         print the version

Exit code: 0; 1 if there is what --fail-on names, or a budget is exceeded; else 2 if an argument or an input is
bad: standard error says why, one sentence each.
`;
