/** Rules of this house, for oxlint. */

/** Refuses a kind of syntax, with one sentence. */
const refuse = (kind, message, where = () => true) => ({
  create: (context) => ({
    [kind]: (node) => {
      if (where(node)) context.report({ node, message });
    },
  }),
});

/** True within a call of this function. */
function isWithinCallOf(node, name) {
  for (let above = node.parent; above; above = above.parent) {
    if (above.type === 'CallExpression' && above.callee.name === name) return true;
  }
  return false;
}

export default {
  meta: { name: 'house' },
  rules: {
    'no-default-export': refuse('ExportDefaultDeclaration', 'Export by name.'),
    'no-barrel': refuse('ExportAllDeclaration', 'Import from the file that has it: no barrel files.'),
    // Without a message Node parses the test file at each failure, which may take minutes in a loop.
    'assert-with-message': refuse(
      'CallExpression',
      'Give assert.ok a message here.',
      (node) =>
        node.callee.object?.name === 'assert' &&
        node.callee.property?.name === 'ok' &&
        node.arguments.length === 1 &&
        isWithinCallOf(node, 'eventually'),
    ),
  },
};
