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
    const {ratio, width, height, counts} = this, last = height - 1;
    if (x0 > x1) [x0, y0, x1, y1] = [x1, y1, x0, y0];
    const from = Math.max((x0 * ratio + 0.5) | 0, 0), to = Math.min((x1 * ratio + 0.5) | 0, width - 1);
    const start = Math.min(Math.max(y0 * ratio, 0), last), end = Math.min(Math.max(y1 * ratio, 0), last);
    const slope = to > from ? (end - start) / (to - from) : 0;
    let y = start + 0.5, before = y | 0;
    for (let x = from; x <= to; ++x, y += slope) {
      const now = (x === to ? end + 0.5 : y) | 0;
      ++counts[now * width + x];
      for (; before < now - 1; ++before) ++counts[(before + 1) * width + x];
      for (; before > now + 1; --before) ++counts[(before - 1) * width + x];
      before = now;
    }
  }

  // Onto the canvas, in one color; the more counts the less of what is below shows.
  paint(pen, color, least = 0.25, top = 0) {
    const {counts, width, height} = this;
    let most = 1;
    for (let i = 0; i < counts.length; ++i) if (counts[i] > most) most = counts[i];
    const layer = document.createElement('canvas');
    layer.width = width;
    layer.height = height;
    const target = layer.getContext('2d'), image = target.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    // #rrggbb; pixels have their bytes the other way round.
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
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
    pen.setTransform(1, 0, 0, 1, 0, Math.round(top * this.ratio));
    pen.drawImage(layer, 0, 0);
    pen.restore();
    layer.width = 0;
  }
}

// From so many marks on they are counted instead of drawn.
const kMany = 3000;
