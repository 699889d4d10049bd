/** Bundles the four faces: extension, worker (with its readers), command line and webview. `--production` minifies, `--watch` rebuilds. */
import * as esbuild from 'esbuild';
import { rmSync, writeFileSync } from 'node:fs';
import { importOnce } from './lib/importOnce.mjs';
import { thirdPartyNotices } from './lib/notices.mjs';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  sourcesContent: false,
  logLevel: 'info',
  // Licenses go into a file of their own.
  legalComments: 'none',
  metafile: true,
};
const node = { ...common, platform: 'node', target: 'node20.19', format: 'cjs' };

/** A module that is a file of its own, loaded where it is needed. */
const apart = (filter, path) => ({
  name: path,
  setup: ({ onResolve }) => onResolve({ filter, namespace: 'file' }, () => ({ path, external: true })),
});

const targets = [
  {
    ...node,
    entryPoints: { extension: 'src/extension/activate.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    // VS Code gives its API to `require`.
    supported: { 'dynamic-import': false },
    plugins: [
      importOnce('vscode'),
      apart(/\/surfaces\.js$/, './surfaces.cjs'),
      apart(/\/snapshotWatchers\.js$/, './watchers.cjs'),
    ],
  },
  {
    ...node,
    entryPoints: { surfaces: 'src/extension/surfaces.ts', watchers: 'src/extension/watch/snapshotWatchers.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    plugins: [importOnce('vscode')],
  },
  {
    ...node,
    entryPoints: { worker: 'src/worker/main.ts', reader: 'src/worker/reader.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
  },
  {
    ...node,
    entryPoints: { cli: 'src/cli/main.ts' },
    format: 'esm',
    outdir: 'dist',
    banner: { js: '#!/usr/bin/env node' },
    plugins: [apart(/\/serve\.js$/, './cli-mcp.mjs')],
  },
  {
    ...node,
    entryPoints: { 'cli-job': 'src/cli/job.ts' },
    format: 'esm',
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    // What few commands need, such as the Python parser, is a file of its own: a third of the start.
    splitting: true,
    chunkNames: 'cli-[name]-[hash]',
  },
  {
    ...node,
    entryPoints: { 'cli-mcp': 'src/cli/mcp/serve.ts' },
    format: 'esm',
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
  },
  {
    ...common,
    platform: 'browser',
    target: 'chrome128',
    format: 'iife',
    entryPoints: { webview: 'webview/main.ts' },
    outdir: 'dist',
  },
];

rmSync('dist', { recursive: true, force: true });
if (watch) {
  const contexts = await Promise.all(targets.map((target) => esbuild.context(target)));
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  // esbuild has said what is wrong.
  const results = await Promise.all(targets.map((target) => esbuild.build(target))).catch(() => process.exit(1));
  writeFileSync('dist/THIRD_PARTY_NOTICES.txt', thirdPartyNotices(results.map(({ metafile }) => metafile)));
}
