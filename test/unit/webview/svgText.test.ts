import assert from 'node:assert/strict';
import { hatching } from '../../../webview/picture/picture.js';
import { svgOf } from '../../../webview/picture/svgText.js';

const page = { width: 100, height: 50, background: '#fff', fontFamily: '"A & B", serif', fontSize: 12 };

describe('a picture as SVG', () => {
  it('escapes every text, and leaves out what no XML may hold', () => {
    const hostile = `</text><script>alert("1")</script>&'\u0000\ud800x`;
    const svg = svgOf({ ...page, shapes: [{ kind: 'text', x: 1, y: 2, text: hostile, fill: '" onload="x' }] }, hostile);
    assert.equal(svg.includes('<script'), false);
    assert.equal(svg.includes('onload="x'), false);
    assert.equal(/[\u0000\ud800]/u.test(svg), false); // eslint-disable-line no-control-regex -- they are what is looked for
    assert.ok(svg.includes('&#60;script&#62;alert(&#34;1&#34;)'));
  });

  it('hatches inside its rectangle, both ways', () => {
    const rect = { x: 10, y: 20, width: 30, height: 12 };
    for (const slope of [1, -1] as const) {
      const lines = hatching(rect, 5, slope).split('M').slice(1);
      assert.equal(lines.length, 8);
      for (const line of lines) {
        const [[x0, y0], [x1, y1]] = line.split('L').map((place) => place.split(' ').map(Number));
        for (const x of [x0, x1]) assert.ok(x >= 10 && x <= 40);
        for (const y of [y0, y1]) assert.ok(y >= 20 && y <= 32);
        assert.equal(Math.abs(x1 - x0), Math.abs(y1 - y0));
        assert.equal(Math.sign(x1 - x0), Math.sign(y0 - y1) * slope);
      }
    }
  });
});
