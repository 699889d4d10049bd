#!/usr/bin/env node
// An executable that may stand where desktop VS Code's `code` is expected: it understands the arguments with which
// @vscode/test-electron starts an extension's tests, and runs them in code-server.
import { register } from 'tsx/esm/api';

register();
const { main } = await import('./standIn.ts');
process.exit(await main(process.argv.slice(2)));
