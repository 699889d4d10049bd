/** Stands in for the native `@vscode/native-watchdog`: the extension host checks each second that its parent runs. */
exports.start = () => {};
