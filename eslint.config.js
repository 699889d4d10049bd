import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** The rooms of `src/core`. */
const coreRooms =
  'text bytes pickle formats model attribution timeline digest runs verdict python retention report render'.split(' ');

/**
 * The rooms, and which other rooms each may import; CONTRIBUTING.md tells what lives in them. Everything that is not
 * named here is behind a wall.
 * @type {Record<string, { may: string[], modules?: string[], because?: string }>}
 */
const rooms = {
  text: { may: [] },
  model: { may: [] },
  python: { may: [], because: 'it has its parser, and knows nothing of memory' },
  bytes: { may: ['text'] },
  pickle: { may: ['bytes', 'text'], because: 'it knows nothing of PyTorch' },
  formats: { may: ['bytes', 'pickle', 'model', 'text'] },
  attribution: { may: ['model'] },
  timeline: { may: ['model', 'attribution'] },
  digest: { may: ['model', 'attribution', 'timeline'] },
  runs: { may: ['model', 'attribution', 'timeline', 'digest'] },
  verdict: { may: ['model', 'attribution', 'digest', 'runs'] },
  retention: { may: ['python'] },
  report: {
    may: ['model', 'attribution', 'digest', 'runs', 'verdict', 'python', 'retention', 'text'],
  },
  render: { may: ['model', 'attribution', 'runs', 'report', 'text'] },
  protocol: { may: coreRooms, because: 'it holds types' },
  node: { may: coreRooms, modules: ['vscode'], because: "it is Node's side of the core's ports" },
  worker: { may: [...coreRooms, 'node', 'protocol'], modules: ['vscode'] },
  cli: { may: [...coreRooms, 'node'], modules: ['vscode'] },
  extension: {
    may: ['model', 'attribution', 'report', 'render', 'text', 'protocol', 'node'],
    modules: [],
    because: 'the worker computes',
  },
  webview: { may: ['protocol'], modules: ['vscode', 'node:*'] },
};

/** What a pure room may not import: editors and machines. */
const hostModules = ['vscode', 'node:*', 'fs', 'path', 'os', 'worker_threads', 'child_process'];

/** The wall around a room. */
function wallAround(room) {
  const { may, modules = hostModules, because } = rooms[room];
  const isCore = coreRooms.includes(room);
  const home = isCore ? `src/core/${room}` : room === 'webview' ? room : `src/${room}`;
  // Inside the core its rooms are each other's neighbours; from outside they are below it.
  const patternOf = (other) => (coreRooms.includes(other) && !isCore ? `**/core/${other}/**` : `**/${other}/**`);
  const behind = Object.keys(rooms).filter((other) => other !== room && !may.includes(other));
  const allowed = may.length === 0 ? 'no other room' : `only ${may.join(', ')}`;
  const message = `${home} imports ${allowed}${because === undefined ? '' : `: ${because}`}.`;
  return {
    files: [`${home}/**`],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [{ group: [...modules, ...behind.map(patternOf)], message }] },
      ],
    },
  };
}

export default defineConfig(
  {
    ignores: [
      '**/dist/**',
      'out/**',
      '**/node_modules/**',
      'examples/**',
      'test/fixtures/**',
      'test-results/**',
      '**/*.d.ts',
    ],
  },
  eslint.configs.recommended,
  { files: ['**/*.ts'], extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked] },
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // An API table must be a type alias to carry an index signature; `Record` style stays a choice of the author.
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/consistent-indexed-object-style': 'off',
      // Typed arrays are indexed in every loop of the core; their element type is never undefined.
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
        { selector: 'ExportAllDeclaration', message: 'No barrel files.' },
        {
          selector:
            "CallExpression[callee.name='eventually'] CallExpression[callee.object.name='assert'][callee.property.name='ok'][arguments.length=1]",
          message: 'Say what was seen: without a message Node parses the file at a failure, which may take minutes.',
        },
      ],
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        Buffer: 'readonly',
      },
    },
  },

  {
    // Opcodes, kinds and actions are numbers read from bytes and columns; the enums only name them.
    files: ['src/core/**', 'src/worker/**', 'bench/**', 'test/**'],
    rules: {
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
    },
  },

  ...Object.keys(rooms).map(wallAround),

  {
    files: ['webview/**'],
    ignores: ['webview/ui/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: [{ name: '@vscode/webview-ui-toolkit', message: 'Only webview/ui knows the toolkit.' }] },
      ],
    },
  },
  {
    files: ['src/**', 'webview/**', 'scripts/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [{ group: ['**/test/**'], message: 'Nothing imports from test.' }],
          paths: [{ name: '@vscode/webview-ui-toolkit', message: 'Only webview/ui knows the toolkit.' }],
        },
      ],
    },
  },
  { files: ['webview/ui/**'], rules: { 'no-restricted-imports': 'off' } },
  {
    files: ['test/**', 'bench/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
    },
  },
);
