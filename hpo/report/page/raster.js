// Many dots or lines: counted on a grid of pixels, which costs the same however many they are.

class Raster {
  constructor(c) {
    this.ratio = c.pen.getTransform().a;
    this.width = Math.round(c.width * this.ratio);
    this.height = Math.round(c.height * this.ratio);
    this.counts = new Uint32Array(this.width * this.height);
  }

  // A square of 2 * half + 1 pixels.
  dot(x, y, half) {
    const cx = Math.round(x * this.ratio), cy = Math.round(y * this.ratio);
    const left = Math.max(cx - half, 0), right = Math.min(cx + half, this.width - 1);
    const top = Math.max(cy - half, 0), bottom = Math.min(cy + half, this.height - 1);
    for (let row = top; row <= bottom; ++row) {
      const from = row * this.width;
      for (let column = left; column <= right; ++column) ++this.counts[from + column];
    }
  }

  line(x0, y0, x1, y1) {
    const {ratio, width, height, counts} = this;
    x0 *= ratio, y0 *= ratio, x1 *= ratio, y1 *= ratio;
    if (x0 > x1) [x0, y0, x1, y1] = [x1, y1, x0, y0];
    const from = Math.max(Math.round(x0), 0), to = Math.min(Math.round(x1), width - 1);
    const slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
    let last = Math.round(y0);
    for (let x = from; x <= to; ++x) {
      const now = Math.round(x === to ? y1 : y0 + (x - x0) * slope);
      const low = Math.max(Math.min(last, now), 0), high = Math.min(Math.max(last, now), height - 1);
      for (let y = low; y <= high; ++y) ++counts[y * width + x];
      last = now;
    }
  }

  // Onto the canvas, in one color; the more counts the less of what is below shows.
  paint(pen, color, least = 0.25) {
    const {counts, width, height} = this;
    let most = 1;
    for (let i = 0; i < counts.length; ++i) if (counts[i] > most) most = counts[i];
    const layer = document.createElement('canvas');
    layer.width = width;
    layer.height = height;
    const target = layer.getContext('2d');
    target.fillStyle = color;
    target.fillRect(0, 0, 1, 1);
    const [red, green, blue] = target.getImageData(0, 0, 1, 1).data;
    const image = target.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const rgb = (blue << 16) | (green << 8) | red;
    const levels = Math.min(most, 4095), shades = new Uint32Array(levels + 1);
    for (let k = 1; k <= levels; ++k) {
      const share = most > 1 ? Math.log(k) / Math.log(levels) : 0;
      shades[k] = ((Math.round(255 * (least + (1 - least) * share)) << 24) | rgb) >>> 0;
    }
    for (let i = 0; i < counts.length; ++i)
      if (counts[i]) pixels[i] = shades[Math.min(counts[i], levels)];
    target.putImageData(image, 0, 0);
    pen.save();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(layer, 0, 0);
    pen.restore();
  }
}

// From so many marks on they are counted instead of drawn.
const kMany = 3000;
