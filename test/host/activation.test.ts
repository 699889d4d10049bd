import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('Leakline in the extension host', () => {
  it('is there', () => {
    assert.ok(vscode.extensions.getExtension('leakline.leakline'), 'the extension is not loaded');
  });
});
