/** Stands in for the native `@vscode/spdlog`: appends each line to its file at once, and never rotates. */
const { appendFileSync, mkdirSync } = require('node:fs');
const { dirname } = require('node:path');

const names = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];
const methods = ['trace', 'debug', 'info', 'warn', 'error', 'critical'];

class Logger {
  #path;
  #level = names.indexOf('info');
  #format = (name, text) => `${new Date().toISOString().replace('T', ' ').slice(0, -1)} [${name}] ${text}\n`;

  constructor(path) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    for (const [level, method] of methods.entries()) this[method] = (text) => this.#write(level, text);
  }

  #write(level, text) {
    if (level >= this.#level) appendFileSync(this.#path, this.#format(names[level], text));
  }

  getLevel() {
    return this.#level;
  }

  setLevel(level) {
    this.#level = level;
  }

  clearFormatters() {
    this.#format = (_name, text) => text;
  }

  setPattern() {}
  flush() {}
  drop() {}
}

const create = async (_name, path) => new Logger(path);
// Assigned one by one: VS Code imports them by name.
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
