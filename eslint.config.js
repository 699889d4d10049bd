import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** One wall: files under `files` may not import what `patterns` name. The rooms are described in CONTRIBUTING.md. */
function wall(files, group, message, ignores = []) {
  return {
    files,
    ignores,
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
  };
}

const hostOnly = ['vscode', 'node:*', 'fs', 'path', 'os', 'worker_threads', 'child_process'];

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

  // The walls. src/core is pure; each room imports only what stands left of it.
  wall(
    ['src/core/bytes/**'],
    [
      ...hostOnly,
      '**/pickle/**',
      '**/formats/**',
      '**/model/**',
      '**/analysis/**',
      '**/source/**',
      '**/python/**',
      '**/keepers/**',
      '**/report/**',
      '**/protocol/**',
    ],
    'core/bytes imports text only.',
  ),
  wall(
    ['src/core/text/**'],
    [
      ...hostOnly,
      '**/bytes/**',
      '**/pickle/**',
      '**/formats/**',
      '**/model/**',
      '**/analysis/**',
      '**/source/**',
      '**/python/**',
      '**/keepers/**',
      '**/report/**',
      '**/protocol/**',
    ],
    'core/text imports nothing.',
  ),
  wall(
    ['src/core/model/**'],
    [
      ...hostOnly,
      '**/bytes/**',
      '**/pickle/**',
      '**/formats/**',
      '**/analysis/**',
      '**/source/**',
      '**/python/**',
      '**/keepers/**',
      '**/report/**',
      '**/text/**',
      '**/protocol/**',
    ],
    'core/model imports nothing.',
  ),
  wall(
    ['src/core/pickle/**'],
    [
      ...hostOnly,
      '**/formats/**',
      '**/model/**',
      '**/analysis/**',
      '**/source/**',
      '**/python/**',
      '**/keepers/**',
      '**/report/**',
      '**/protocol/**',
    ],
    'core/pickle imports bytes and text only: it knows nothing of PyTorch.',
  ),
  wall(
    ['src/core/formats/**'],
    [...hostOnly, '**/analysis/**', '**/source/**', '**/python/**', '**/keepers/**', '**/report/**', '**/protocol/**'],
    'core/formats imports bytes, pickle, model and text only.',
  ),
  wall(
    ['src/core/analysis/**'],
    [
      ...hostOnly,
      '**/bytes/**',
      '**/pickle/**',
      '**/formats/**',
      '**/source/**',
      '**/python/**',
      '**/keepers/**',
      '**/report/**',
      '**/text/**',
      '**/protocol/**',
    ],
    'core/analysis imports model only.',
  ),
  wall(
    ['src/core/source/**'],
    [
      ...hostOnly,
      '**/bytes/**',
      '**/pickle/**',
      '**/formats/**',
      '**/analysis/**',
      '**/python/**',
      '**/keepers/**',
      '**/report/**',
      '**/text/**',
      '**/protocol/**',
    ],
    'core/source imports model only.',
  ),
  wall(
    ['src/core/python/**'],
    [
      ...hostOnly,
      '**/bytes/**',
      '**/pickle/**',
      '**/formats/**',
      '**/model/**',
      '**/analysis/**',
      '**/source/**',
      '**/keepers/**',
      '**/report/**',
      '**/text/**',
      '**/protocol/**',
    ],
    'core/python imports its parser only: it knows nothing of memory.',
  ),
  wall(
    ['src/core/keepers/**'],
    [
      ...hostOnly,
      '**/bytes/**',
      '**/pickle/**',
      '**/formats/**',
      '**/model/**',
      '**/analysis/**',
      '**/source/**',
      '**/report/**',
      '**/text/**',
      '**/protocol/**',
    ],
    'core/keepers imports python only.',
  ),
  wall(
    ['src/core/report/**'],
    [...hostOnly, '**/bytes/**', '**/pickle/**', '**/formats/**', '**/protocol/**'],
    'core/report imports model, analysis, source, python, keepers and text only.',
  ),
  wall(
    ['src/protocol/**'],
    [...hostOnly, '**/worker/**', '**/extension/**', '**/cli/**', '**/webview/**'],
    'src/protocol imports types of the core only.',
  ),
  wall(
    ['src/node/**'],
    ['vscode', '**/worker/**', '**/extension/**', '**/cli/**', '**/webview/**', '**/protocol/**'],
    "src/node holds Node's side of the core's ports.",
  ),
  wall(
    ['src/worker/**'],
    ['vscode', '**/extension/**', '**/cli/**', '**/webview/**'],
    'src/worker imports core, node and protocol only.',
  ),
  wall(
    ['src/cli/**'],
    ['vscode', '**/worker/**', '**/extension/**', '**/protocol/**', '**/webview/**'],
    'src/cli imports core and node only.',
  ),
  wall(
    ['src/extension/**'],
    [
      '**/worker/**',
      '**/cli/**',
      '**/webview/ui/**',
      '**/core/bytes/**',
      '**/core/pickle/**',
      '**/core/formats/**',
      '**/core/analysis/**',
    ],
    'src/extension imports protocol, node and the core’s types only: the worker computes.',
    [],
  ),
  wall(
    ['webview/**'],
    [
      'vscode',
      'node:*',
      '**/src/core/**',
      '**/src/worker/**',
      '**/src/extension/**',
      '**/src/cli/**',
      '**/src/node/**',
    ],
    'webview imports src/protocol only.',
  ),
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
