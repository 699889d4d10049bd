import assert from 'node:assert/strict';
import { recordingPlace } from '../../../src/extension/commands/recordingPlace.js';

const placeIn = (text: string) => recordingPlace(text.split('\n'), ['os', 'torch']);

describe('Recording code', () => {
  it('goes behind the imports of the file, with those that are missing', () => {
    assert.deepEqual(placeIn('"""Trains."""\nimport torch\nfrom torch import nn\n\ndef f():\n    import json\n'), {
      behind: 2,
      missing: ['os'],
    });
    assert.deepEqual(placeIn('import os, sys\nimport torch  # the GPU\n'), { behind: 1, missing: [] });
    assert.deepEqual(placeIn('import torch.nn as nn\nimport numpy as torch_like\n').missing, ['os', 'torch']);
  });

  it('does not cut an import that goes over several lines', () => {
    assert.equal(placeIn('from a import (\n    b,\n    c,\n)\nx = 1\n').behind, 3);
    assert.equal(placeIn('from a import b, \\\n    c\nx = (1,\n2)\n').behind, 1);
  });

  it('goes behind the docstring of a file without imports, or to its beginning', () => {
    assert.equal(placeIn('#!/usr/bin/env python\n"""One\ntwo"""\nx = 1').behind, 2);
    assert.equal(placeIn('"""One."""\nx = 1').behind, 0);
    assert.equal(placeIn('x = 1').behind, -1);
    assert.equal(placeIn('').behind, -1);
  });
});
