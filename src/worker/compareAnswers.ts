/** Answers questions about two snapshots side by side. */
import { comparedPaths, type ComparedPaths } from '../core/runs/comparedPaths.js';
import { callTree } from '../core/timeline/callTree.js';
import type { SnapshotDigest } from '../core/digest/digest.js';
import { groupRuns } from '../core/runs/runs.js';
import { seriesCurves, type SeriesSource } from '../core/runs/seriesCurves.js';
import { comparedBucketParts } from '../core/report/bucketParts.js';
import { addCells, emptyCell } from '../core/report/compare/compareCells.js';
import type { CompareReport } from '../core/report/report.js';
import { compareSentences } from '../core/present/fixText.js';
import { mapDigests } from '../core/report/reportWorkspace.js';
import type {
  CompareFlame,
  CompareFlameQuery,
  CompareRow,
  CompareTable,
  SeriesAnswer,
  SeriesQuery,
  SeriesRef,
} from '../protocol/compareData.js';
import { CallNames } from './callNames.js';
import type { SnapshotStore } from './snapshotStore.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

/** Maximum number of rows of a table; the other lines are summed. */
const MAX_ROWS = 400;
/** Characters of all names in a table. */
const ROOM_FOR_NAMES = 60_000;

export class CompareAnswers {
  /** The paths that were requested last: a click in the graph shall not build them again. */
  private latest: {
    a: SnapshotDigest;
    b: SnapshotDigest;
    folded: boolean;
    listing: object;
    paths: ComparedPaths;
  } | null = null;

  constructor(
    private readonly store: SnapshotStore,
    private readonly workspace: WorkspaceFiles,
  ) {}

  flame(query: CompareFlameQuery): CompareFlame {
    const { a, b, width, folded } = query;
    const paths = this.pathsOf(this.store.digest(a), this.store.digest(b), folded);
    const { bytesA, bytesB, blocksA, blocksB, table } = paths;
    const bytes = bytesB.map((after, row) => (width === 'after' ? after : Math.max(bytesA[row], after)));
    const names = new CallNames((call) => ({ id: call, ...table[call] }));
    const wanted = query.focus.filter((call) => call < table.length);
    for (const call of wanted) names.admit(call);
    const blocks = blocksB.map((after, row) => Math.max(blocksA[row], after));
    const { tree, focus, sums } = callTree(
      { ...paths, bytes, blocks },
      { focus: wanted, pixels: query.pixels, admits: (call) => names.admit(call) },
      [bytesA, bytesB, blocksA, blocksB],
    );
    const [rowBytesA, rowBytesB, rowBlocksA, rowBlocksB] = sums;
    return {
      a,
      b,
      bytesA: sumOf(bytesA),
      bytesB: sumOf(bytesB),
      focus: focus.map(({ call, sums: [ofA, ofB] }) => ({ call: names.indexOf(call), bytesA: ofA, bytesB: ofB })),
      tree: { ...tree, call: names.indicesOf(tree, focus.length) },
      calls: names.calls,
      rowBytesA,
      rowBytesB,
      rowBlocksA,
      rowBlocksB,
    };
  }

  series({ series, axis, pixels }: SeriesQuery): SeriesAnswer {
    const runs = groupRuns(this.store.digests);
    const sources = series.map(({ path, device, whole }: SeriesRef): SeriesSource => {
      const digest = this.store.digest(path);
      const run = runs.find(({ snapshots }) => snapshots.includes(digest));
      const own = run?.steps[run.snapshots.indexOf(digest)] ?? null;
      const alone = { snapshots: [digest], steps: [own] };
      return { run: whole ? (run ?? alone) : alone, process: run?.id ?? path, device };
    });
    const { curves, ...rest } = seriesCurves(sources, axis, pixels);
    return { ...rest, curves: curves.map((curve, i) => ({ ...curve, ...series[i] })) };
  }

  private pathsOf(a: SnapshotDigest, b: SnapshotDigest, folded: boolean): ComparedPaths {
    const { listing } = this.workspace;
    const { latest } = this;
    if (latest?.a === a && latest.b === b && latest.folded === folded && latest.listing === listing) {
      return latest.paths;
    }
    const mapping = mapDigests([a, b], listing);
    const paths = comparedPaths(a, b, folded, (file) => mapping.lookup(file));
    this.latest = { a, b, folded, listing, paths };
    return paths;
  }
}

/** A report's lines as rows, those that hold or held most; every figure is the report's. */
export function compareTable(report: CompareReport): CompareTable {
  const known = [...report.lines, report.buckets.library].every(({ flow }) => flow !== null);
  const { lines: beyond, ...sums } = report.otherLines;
  let total = addCells(emptyCell(known), sums);
  let others = total;
  const rows: CompareRow[] = [];
  let otherLines = beyond;
  let room = ROOM_FOR_NAMES;
  const lines = [...report.lines].sort((x, y) => Math.max(y.bytesA, y.bytesB) - Math.max(x.bytesA, x.bytesB));
  for (const line of lines) {
    const { file, line: number, function: name, mapped, bytesA, bytesB, growthBytes, blocksA, blocksB, flow } = line;
    const cell = { bytesA, bytesB, growthBytes, blocksA, blocksB, flow };
    total = addCells(total, cell);
    const length = file.length + name.length;
    if (rows.length < MAX_ROWS && length <= room) {
      room -= length;
      rows.push({ ...cell, place: { file, line: number, function: name, mapped }, bucket: null });
    } else {
      otherLines++;
      others = addCells(others, cell);
    }
  }
  for (const [bucket, cell] of comparedBucketParts(report)) {
    total = addCells(total, cell);
    if (cell.blocksA + cell.blocksB > 0) rows.push({ ...cell, place: null, bucket });
  }
  const sideOf = ({ path, step, devices }: CompareReport['a']): CompareTable['a'] => ({
    path,
    step,
    liveBytes: devices.reduce((sum, { liveBytes }) => sum + liveBytes, 0),
  });
  return {
    a: sideOf(report.a),
    b: sideOf(report.b),
    rows,
    otherLines,
    others,
    total,
    reused: report.reused,
    sentences: compareSentences(report),
  };
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
