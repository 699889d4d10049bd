'use strict';
const { DebugAdapterExecutable, debug } = require('vscode');

/** Runs the adapter of the debugpy that a session's configuration names. */
exports.activate = ({ subscriptions }) => {
  subscriptions.push(
    debug.registerDebugAdapterDescriptorFactory('debugpy', {
      createDebugAdapterDescriptor: ({ configuration }) =>
        new DebugAdapterExecutable('python3', ['-m', 'debugpy.adapter'], {
          env: { PYTHONPATH: configuration.debugpy },
        }),
    }),
  );
};
