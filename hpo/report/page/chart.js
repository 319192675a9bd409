// The frame of a picture: a canvas that is drawn once, a second one over it for what the pointer is
// at, a note for what is said in words. Pictures are drawn when they come into view, the others as
// soon as nothing else is to be done.

// What draws each picture, and how high it is: each file adds its own. What takes longer than a
// moment is a generator, which pauses again and again.
const kPictures = {};

const kFont = '12px system-ui, sans-serif';
// Milliseconds of drawing until others may do something; twice as many until all is there.
const kSlice = 12;
const pause = () => new Promise((done) => setTimeout(done));

function colors() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue('--' + name).trim();
  return {ink: of('ink'), soft: of('soft'), line: of('line'), card: of('card'), data: of('data'),
          winner: of('winner'), stopped: of('stopped'), failed: of('failed'), band: of('band')};
}

const ratioNow = () => Math.min(window.devicePixelRatio || 1, 2);

// An empty canvas of this size. Another size costs more than to wipe it.
function sized(canvas, width, height) {
  const ratio = ratioNow(), wide = Math.round(width * ratio), high = Math.round(height * ratio);
  const pen = canvas.getContext('2d');
  if (canvas.width === wide && canvas.height === high) {
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, wide, high);
  } else {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = width + 'px';
    canvas.style.height = height + 'px';
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = kFont;
  return pen;
}

// Text that fits, cut with an ellipsis.
function fitted(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let length = Math.min(text.length, 200);
  while (length > 1 && pen.measureText(text.slice(0, length) + '…').width > width) --length;
  return text.slice(0, length) + '…';
}

function write(pen, text, x, y, align, color, width) {
  pen.textAlign = align;
  pen.textBaseline = 'middle';
  pen.fillStyle = color;
  pen.fillText(width ? fitted(pen, text, width) : text, x, y);
}

// On lines a text needs a ground of its own.
function writeOver(c, text, x, y, width) {
  const {pen} = c, cut = fitted(pen, text, width);
  pen.strokeStyle = c.color.card;
  pen.lineWidth = 4;
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  pen.strokeText(cut, x, y);
  write(pen, cut, x, y, 'left', c.color.ink);
}

// `draw(c)` paints into c.pen (c.width x c.height, c.color) and returns what the pointer can
// meet, {marks: {trials, xs, ys}, mark(pen, trial), note}, and how to put one more trial or one more
// report onto the picture as it is: add(pen, trial), addReport(pen, trial, step, value).
class Chart {
  constructor(figure, draw, height) {
    this.figure = figure;
    this.draw = draw;
    this.height = height;
    this.box = make('div', 'box');
    this.canvas = this.box.appendChild(make('canvas'));
    // The figure has buttons, too, which nobody could reach inside of an image.
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', figure.getAttribute('aria-label'));
    figure.removeAttribute('aria-label');
    this.over = this.box.appendChild(make('canvas', 'over'));
    this.tip = this.box.appendChild(make('div', 'tip'));
    this.note = make('p', 'note');
    figure.append(this.box, this.note);
    this.over.addEventListener('pointermove', (event) => this.pointed(event));
    this.over.addEventListener('pointerleave', () => hover(null));
    this.over.addEventListener('click', () => page.hovered !== null && openTrial(page.hovered));
    page.charts.set(figure.dataset.chart, this);
  }

  // Draws onto a canvas that nobody sees, and shows it when it is whole.
  *drawing() {
    const width = Math.floor(this.box.clientWidth);
    if (width < 40) return;
    const height = typeof this.height === 'function' ? this.height(width) : this.height;
    const canvas = make('canvas');
    // In memory, so that flushed() costs little.
    canvas.getContext('2d', {willReadFrequently: true});
    const pen = sized(canvas, width, height);
    const made = this.draw({pen, width, height, color: colors(), chart: this});
    this.shown = (made.next ? yield* made : made);
    this.top = sized(this.canvas, width, height);
    this.top.drawImage(canvas, 0, 0, width, height);
    // Megabytes that would wait for somebody to collect them.
    canvas.width = 0;
    this.pen = sized(this.over, width, height);
    this.width = width;
    this.note.textContent = this.shown.note || '';
    this.painted = true;
  }

  // At once. A drawing that was under way is dropped.
  paint() {
    this.steps = null;
    whole(this.drawing());
  }

  // A little at a time. False where something else was drawn meanwhile.
  async paintSlowly() {
    const steps = this.steps = this.drawing();
    for (let from = performance.now(); !steps.next().done;) {
      if (performance.now() - from < (page.ready ? 1 : 2) * kSlice) continue;
      await pause();
      if (this.steps !== steps) return false;
      from = performance.now();
    }
    return true;
  }

  isInView() {
    return isInView(this.figure);
  }

  pointed(event) {
    if (!this.painted || !this.shown.marks) return;
    const x = event.offsetX, y = event.offsetY;
    let best = null, least = 400;
    const {xs, ys, trials} = this.shown.marks;
    for (let i = 0; i < trials.length; ++i) {
      const away = (xs[i] - x) ** 2 + (ys[i] - y) ** 2;
      if (away < least) {
        least = away;
        best = i;
      }
    }
    hover(best === null ? null : trials[best]);
    this.say(best === null ? null : trials[best], x, y);
  }

  say(trial, x, y) {
    this.tip.textContent = trial === null ? '' : trialText(trial);
    if (trial === null) return;
    const right = x > this.width / 2;
    this.tip.style.left = right ? 'auto' : x + 14 + 'px';
    this.tip.style.right = right ? this.width - x + 14 + 'px' : 'auto';
    this.tip.style.top = y + 10 + 'px';
  }

  light(trial) {
    if (!this.painted) return;
    this.pen.clearRect(0, 0, this.width, 4000);
    if (trial !== null && this.shown.mark) this.shown.mark(this.pen, trial);
    if (trial === null) this.tip.textContent = '';
  }
}

function isInView(part) {
  const box = part.getBoundingClientRect();
  return box.top < window.innerHeight && box.bottom > 0;
}

// Goes on until the end of what would pause.
function whole(steps) {
  while (!steps.next().done);
}

// Marks that the pointer can meet, as columns: at most so many.
class Marks {
  constructor(most) {
    this.trials = new Uint32Array(most);
    this.xs = new Float32Array(most);
    this.ys = new Float32Array(most);
    this.count = 0;
  }

  add(trial, x, y) {
    this.trials[this.count] = trial;
    this.xs[this.count] = x;
    this.ys[this.count++] = y;
  }

  // Without the room that nothing took.
  cut() {
    for (const name of ['trials', 'xs', 'ys']) this[name] = this[name].subarray(0, this.count);
    return this;
  }
}

// Browsers collect what is drawn, and do it all at once in the end unless somebody looks.
const flushed = (pen) => pen.getImageData(0, 0, 1, 1);

function dot(pen, x, y, color, radius) {
  pen.fillStyle = color;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.fill();
}

function ring(pen, x, y, color, radius = 6) {
  pen.strokeStyle = color;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.stroke();
}

// What all pictures show of the trial under the pointer.
page.hovered = null;
function hover(trial) {
  if (trial === page.hovered) return;
  page.hovered = trial;
  for (const chart of page.charts.values()) chart.light(trial);
}

function trialText(trial) {
  const {meta} = page, columns = page.trial;
  const lines = [`trial ${trial}, ${kStates[columns.state[trial]]}`];
  if (columns.value) lines.push(`${meta.metric} ${shown(columns.value[trial])}`);
  meta.parameters.slice(0, 8).forEach((parameter, p) => {
    const text = paramText(p, trial);
    if (text !== '') lines.push(`${parameter.name.slice(0, 30)} ${text.slice(0, 40)}`);
  });
  return lines.join('\n');
}

// A frame with an axis on the left and one below: returns where values lie.
function frame(c, x, y, options = {}) {
  const {left = 52, right = 12, top = 12, bottom = 26} = options;
  const {pen, width, height, color} = c;
  const px = (v) => left + Math.min(Math.max(x.at(v), 0), 1) * (width - left - right);
  const py = (v) => height - bottom - Math.min(Math.max(y.at(v), 0), 1) * (height - top - bottom);
  pen.lineWidth = 1;
  for (const tick of y.ticks(Math.max(2, Math.floor((height - top - bottom) / 34)))) {
    pen.strokeStyle = color.line;
    pen.beginPath();
    pen.moveTo(left, py(tick));
    pen.lineTo(width - right, py(tick));
    pen.stroke();
    write(pen, shown(tick), left - 6, py(tick), 'right', color.soft);
  }
  for (const tick of x.ticks(Math.max(2, Math.floor((width - left - right) / 80))))
    write(pen, (options.xText || shown)(tick), px(tick), height - bottom + 14, 'center', color.soft);
  return {px, py, left, right, top, bottom};
}
