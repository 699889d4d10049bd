import type { Picture, Shape } from './picture.js';

/** Draws a picture over the whole of a canvas. @param scale pixels of the canvas for one of the picture */
export function paintPicture(canvas: HTMLCanvasElement, picture: Picture, scale: number): void {
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const ink = canvas.getContext('2d');
  if (ink === null) return;
  ink.scale(scale, scale);
  ink.fillStyle = picture.background;
  ink.fillRect(0, 0, picture.width, picture.height);
  for (const shape of picture.shapes) paint(ink, shape, picture);
}

function paint(ink: CanvasRenderingContext2D, shape: Shape, { fontFamily, fontSize }: Picture): void {
  switch (shape.kind) {
    case 'rect':
    case 'path': {
      const path = new Path2D(shape.kind === 'path' ? shape.d : undefined);
      if (shape.kind === 'rect') path.rect(shape.x, shape.y, shape.width, shape.height);
      if (shape.fill !== undefined) {
        ink.fillStyle = shape.fill;
        ink.fill(path);
      }
      if (shape.stroke === undefined) return;
      ink.strokeStyle = shape.stroke;
      ink.lineWidth = shape.kind === 'path' ? (shape.strokeWidth ?? 1) : 1;
      ink.setLineDash([...(shape.dash ?? [])]);
      ink.stroke(path);
      ink.setLineDash([]);
      return;
    }
    case 'image':
      ink.drawImage(shape.image, shape.x, shape.y, shape.width, shape.height);
      return;
    case 'text': {
      const { x, y, text, fill, anchor = 'start', bold = false, size = fontSize, clip } = shape;
      ink.save();
      if (clip !== undefined) {
        ink.beginPath();
        ink.rect(clip.x, y - size, Math.max(0, clip.width), 2 * size);
        ink.clip();
      }
      ink.fillStyle = fill;
      ink.font = `${bold ? 'bold ' : ''}${size}px ${fontFamily}`;
      ink.textAlign = anchor === 'middle' ? 'center' : anchor;
      ink.textBaseline = 'middle';
      ink.fillText(text, x, y);
      ink.restore();
    }
  }
}
