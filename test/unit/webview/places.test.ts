import assert from 'node:assert/strict';
import { callName } from '../../../webview/flame/flameText.js';
import { ownerName } from '../../../webview/layer/bandText.js';
import { kindText, poolText } from '../../../webview/map/mapText.js';
import { pathEnd } from '../../../webview/text/place.js';

describe('an unknown place', () => {
  it('is no number: a frame without a line is identified by its file alone', () => {
    for (const line of [0, -1]) {
      const place = { file: 'src/kernel.cpp', line, function: 'f', mapped: false };
      assert.equal(ownerName({ place, bucket: null }, 'name'), 'kernel.cpp');
      const call = { kind: 'native' as const, id: 1, function: 'f', file: 'kernel.cpp', line, mapped: false };
      assert.equal(callName(call), 'f, kernel.cpp');
    }
  });

  it('is the end of a long path, whichever system wrote it', () => {
    assert.equal(pathEnd('/srv/code/systems/basics/model.py'), '…/basics/model.py');
    assert.equal(pathEnd('C:\\research\\DeComFL\\cezo_fl\\client.py'), '…/cezo_fl/client.py');
    for (const whole of ['/app/train.py', '/train.py', 'train.py', 'src/deep/down/model.py', '??', '']) {
      assert.equal(pathEnd(whole), whole);
    }
  });

  it('is not the default pool in a snapshot without pools', () => {
    assert.equal(kindText({ pool: null, kind: 'small' }), 'small · pool not recorded');
    assert.equal(poolText({ pool: '0,0', kind: 'large', stream: '7' }), 'large · default pool · stream 7');
    assert.equal(poolText({ pool: '0,2', kind: 'large', stream: '0' }), 'large · pool 0,2 · stream 0');
  });
});
