/** Serves VS Code with Leakline on a folder, for a person's browser: `tsx test/vscode-host/serve.ts EXTENSION FOLDER [FILE]`. */
import { VsCodeServer } from './server.js';

const [extension = '.', folder = '.', ...files] = process.argv.slice(2);
const server = await VsCodeServer.start({ linkedExtensions: [extension] });
console.log(`
  VS Code with Leakline is at

    ${server.windowUrl({ folder, ...(files.length === 0 ? {} : { file: files[0] }) })}

  It answers on this machine only, but there to everybody, until you press Ctrl+C.
`);
let stopping: Promise<void> | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // Ctrl+C reaches this program twice: from the terminal, and from the script that started it.
    if (stopping !== undefined) return;
    console.log('Stopping…');
    stopping = server.stop().then(() => process.exit(0));
  });
}
