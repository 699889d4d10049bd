/** The output of `--help`. */
export const HELP = `Usage:
  leakline analyze [options] FILES...   live and leaked GPU memory by source line
  leakline compare [options] A B        growth from snapshot A to snapshot B by source line; of two runs (a folder
                                        of snapshots each) also whether the leak is gone
  leakline what-if [options] FILE       reserved memory of the snapshot's allocations under other allocator settings, on
                                        another device, or without some lines
  leakline explain-oom [options] FILE   out-of-memory messages in a log, or in standard input (-): why memory ran out, as
                                        far as the numbers show it, the line that requested it, and what may be the
                                        cause in the source
  leakline digest --out OUT FILES...    write a digest of each snapshot that has none in OUT
  leakline summarize [options] OUT      write a summary of each rank: report then reads no digests
  leakline report [options] OUT         like analyze, from digests and summaries
  leakline facts [options] OUT          write the report as Parquet tables into OUT/facts, or --out; with --json as
                                        lines of JSON
  leakline clean OUT                    remove digests of different versions, and summaries without digests
  leakline baseline write --root DIR FILES...
                                        record the lines that leak now in DIR/.leakline.json: they fail no check
  leakline mcp --root DIR [FOLDERS...]  answer agents over standard input and output (Model Context Protocol)

FILES are snapshots of torch.cuda.memory._dump_snapshot; a folder stands for every .pickle and
.pkl file below it, gzipped or not, and for graphs of PyTorch's cycle detector (*cycle*.html, .dot)
and logs of memory_stats() (memory_stats*.json, .jsonl), memory_summary() (memory_summary*.txt) and
nvidia-smi (nvidia-smi*.csv). Several snapshots in one file are numbered: page.html#2.
Snapshots of one training process are analyzed together as a run. Logs (.log, .txt, .out, .err) with an
out-of-memory message are explained.

Options:
  --root DIR        workspace to whose files recorded paths are mapped; default: the folder that the recorded program
                    ran in, if it is here, else the current folder
  --map FROM=TO     map the recorded folder FROM to the folder TO of the workspace (repeatable)
  --json            print the report as JSON
  --markdown        print the report as Markdown, to paste into an issue
  --sarif           print the findings as SARIF 2.1.0, for code scanning
  --github          print the findings as annotations for GitHub Actions
  --out FILE        write the report into FILE
  --fail-on WHAT    end with exit code 1 on a verdict of analyze (leak, growing, …), on an answer of compare
                    (worse, same, smaller, cannotTell), on missing ranks or files (incomplete), or where memory
                    ran out (oom, which every check includes); separate several by commas
  --budget SIZE     bytes that may leak per step, such as 512KiB, in place of the budget in DIR/.leakline.json
  --capacity SIZE   memory that what-if has to fit, such as 24GiB; default: that of a recorded out-of-memory error
  --set NAME:VALUE  setting of PYTORCH_CUDA_ALLOC_CONF for what-if, such as expandable_segments:True (repeatable);
                    default: the usual ones
  --without FILE:LINE
                    line whose allocations what-if leaves out (repeatable)
  --rank-pattern R  regular expression that finds the rank in a path as its group: '_(\\d+)\\.pickle'
  --cache DIR       store digests of the inputs of analyze in DIR, and reuse them the next time
  --jobs N          threads that read files, for analyze and digest
  --shard I/N       part of this task in digest and summarize, I from 0 to N-1; default: from Slurm, MPI,
                    Kubernetes or AWS Batch; --shards N if these set the index only
  --name NAME       name of a snapshot on standard input: leakline digest - --name x.pickle --out OUT
  --expect-ranks N  number of ranks of the job; default: the recorder's count
  --all             print every line and every rank, not only the largest
  --help            print this text
  --version         print the version

Exit code: 1 if --fail-on applies or a budget is exceeded; else 2 if an argument or an input is bad, or a check had
nothing to judge: standard error has one sentence for each; else 0.
`;
