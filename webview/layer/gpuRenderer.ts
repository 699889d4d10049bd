/** Draws bands with WebGL 2: each piece is an instance of one rectangle. For machines with a real GPU. */
import { EDGE_SHADE, type BandPaint } from './palette.js';
import { forEachPiece, type Pile } from './pile.js';
import { PILE_SLOTS, type BandRenderer, type BandView, type PileSlot } from './renderer.js';

/** Renderers that only pretend to be a GPU: slower than filling pixels ourselves. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/**
 * Floats of an instance: columns from and to; bytes from and to, each in two parts, for a float is exact up to 16 MiB
 * only; red, green, blue, kind.
 */
const FLOATS = 10;
/** Bytes of the upper parts are multiples of this. */
const PART = 2 ** 20;
const enum Kind {
  Plain = 0,
  /** The first of an allocation: it has an edge on its left. */
  Opening = 1,
  Striped = 2,
}

const VERTEX = `#version 300 es
uniform vec2 columns; // scale and offset
uniform vec3 bytes; // the lowest in view in two parts, and pixels per byte
uniform vec2 size; // of the canvas
in vec2 corner;
in vec2 sides;
in vec4 heights;
in vec4 paint;
flat out vec4 colour;
flat out vec4 bounds;
void main() {
  vec2 x = sides * columns.x + columns.y;
  vec2 y = floor(((heights.xz - bytes.x) + (heights.yw - bytes.y)) * bytes.z + 0.5);
  // Where anything is live there is a pixel, however little it is beside the highest.
  if (heights.x + heights.y == 0.0) y.y = max(y.y, y.x + 1.0);
  colour = paint;
  bounds = vec4(x.x * size.x, y.x, x.y * size.x, y.y);
  float high = mix(y.x, y.y, corner.y) / size.y;
  gl_Position = vec4(mix(x.x, x.y, corner.x) * 2.0 - 1.0, high * 2.0 - 1.0, 0.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
flat in vec4 colour;
flat in vec4 bounds;
out vec4 pixel;
void main() {
  float edge = 0.0;
  bool high = bounds.w - bounds.y >= 4.0;
  if (high && gl_FragCoord.y > bounds.w - 1.0) edge = 1.0;
  if (high && colour.a == 1.0 && gl_FragCoord.x < bounds.x + 1.0) edge = 1.0;
  if (colour.a == 2.0 && mod(gl_FragCoord.x - gl_FragCoord.y, 8.0) < 2.0) edge = 1.0;
  pixel = vec4(colour.rgb * mix(1.0, ${EDGE_SHADE}, edge), 1.0);
}`;

interface Buffer {
  data: WebGLBuffer;
  count: number;
  from: number;
  to: number;
  columns: number;
}

export class GpuRenderer implements BandRenderer {
  readonly kind = 'gpu';
  private readonly buffers = new Map<PileSlot, Buffer>();

  private constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly gl: WebGL2RenderingContext,
    private readonly program: WebGLProgram,
    private readonly corners: WebGLBuffer,
  ) {}

  /**
   * @param onLost called when the context is lost: browsers keep but a few
   * @returns null where there is no GPU; the canvas is untouched then
   */
  static create(canvas: HTMLCanvasElement, onLost: () => void): GpuRenderer | null {
    if (!hasGpu()) return null;
    const gl = canvas.getContext('webgl2', { antialias: false });
    if (gl === null) return null;
    const program = programOf(gl);
    const corners = gl.createBuffer();
    if (program === null) return null;
    gl.bindBuffer(gl.ARRAY_BUFFER, corners);
    gl.bufferData(gl.ARRAY_BUFFER, Float32Array.of(0, 0, 1, 0, 0, 1, 1, 1), gl.STATIC_DRAW);
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      onLost();
    });
    return new GpuRenderer(canvas, gl, program, corners);
  }

  upload(slot: PileSlot, pile: Pile, paints: readonly BandPaint[]): void {
    const { gl } = this;
    this.drop(slot);
    const instances = instancesOf(pile, paints);
    const data = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, data);
    gl.bufferData(gl.ARRAY_BUFFER, instances, gl.STATIC_DRAW);
    const { window, pixels } = pile.bands;
    const count = instances.length / FLOATS;
    this.buffers.set(slot, { data, count, from: window.from, to: window.to, columns: pixels });
  }

  draw({ range, bytes }: BandView): void {
    const { gl, canvas, program } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(program);
    const span = range.to - range.from;
    for (const slot of PILE_SLOTS) {
      const buffer = this.buffers.get(slot);
      if (buffer === undefined) continue;
      const scale = (buffer.to - buffer.from) / buffer.columns / span;
      const offset = (buffer.from - range.from) / span;
      const left = Math.round(Math.max(0, offset) * canvas.width);
      const right = Math.round(Math.min(1, offset + scale * buffer.columns) * canvas.width);
      if (right <= left) continue;
      gl.enable(gl.SCISSOR_TEST);
      gl.scissor(left, 0, right - left, canvas.height);
      gl.clear(gl.COLOR_BUFFER_BIT);
      const perByte = canvas.height / (bytes.to - bytes.from);
      gl.uniform2f(gl.getUniformLocation(program, 'columns'), scale, offset);
      gl.uniform3f(gl.getUniformLocation(program, 'bytes'), upper(bytes.from), bytes.from - upper(bytes.from), perByte);
      gl.uniform2f(gl.getUniformLocation(program, 'size'), canvas.width, canvas.height);
      this.bind('corner', this.corners, 2, 8, 0, 0);
      this.bind('sides', buffer.data, 2, FLOATS * 4, 0, 1);
      this.bind('heights', buffer.data, 4, FLOATS * 4, 8, 1);
      this.bind('paint', buffer.data, 4, FLOATS * 4, 24, 1);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, buffer.count);
    }
  }

  drop(slot: PileSlot): void {
    const buffer = this.buffers.get(slot);
    if (buffer !== undefined) this.gl.deleteBuffer(buffer.data);
    this.buffers.delete(slot);
  }

  dispose(): void {
    for (const slot of PILE_SLOTS) this.drop(slot);
    this.gl.getExtension('WEBGL_lose_context')?.loseContext();
  }

  private bind(name: string, buffer: WebGLBuffer, size: number, stride: number, offset: number, divisor: number): void {
    const { gl, program } = this;
    const at = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, gl.FLOAT, false, stride, offset);
    gl.vertexAttribDivisor(at, divisor);
  }
}

/** The part of a size that is a whole number of parts. */
function upper(bytes: number): number {
  return Math.floor(bytes / PART) * PART;
}

/** Columns are relative to the window's start: 32 bits hold no epoch. */
function instancesOf(pile: Pile, paints: readonly BandPaint[]): Float32Array {
  const { edges, blocks } = pile;
  let floats = new Float32Array(1 << 16);
  let length = 0;
  forEachPiece(pile, (sample, { strand, block, from, to }) => {
    if (length + FLOATS > floats.length) {
      const larger = new Float32Array(floats.length * 2);
      larger.set(floats);
      floats = larger;
    }
    const { fill, alternate, striped } = paints[strand];
    const [red, green, blue] = block >= 0 && blocks.row[block] % 2 === 1 ? alternate : fill;
    const opens = block >= 0 && blocks.from[block] === sample;
    const kind = striped ? Kind.Striped : opens ? Kind.Opening : Kind.Plain;
    floats.set(
      [
        edges[sample],
        edges[sample + 1],
        upper(from),
        from - upper(from),
        upper(to),
        to - upper(to),
        red / 255,
        green / 255,
        blue / 255,
        kind,
      ],
      length,
    );
    length += FLOATS;
  });
  return floats.subarray(0, length);
}

/** Asks a canvas of its own: one that has given out a context gives out no other kind. */
function hasGpu(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (gl === null) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = gl.getParameter(info === null ? gl.RENDERER : info.UNMASKED_RENDERER_WEBGL);
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return typeof name === 'string' && !SOFTWARE.test(name);
}

function programOf(gl: WebGL2RenderingContext): WebGLProgram | null {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type);
    if (shader === null) return null;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) === true ? program : null;
}
