// Every trial's value in the order of the search, and the best so far.

const historyBy = {by: 'trial'};

// The place of each trial along the search: its number, or what was spent when it ended.
function placesOf(by) {
  const {trial, meta} = page;
  const count = trial.state.length;
  const places = new Float64Array(count);
  let spent = 0;
  for (let i = 0; i < count; ++i) {
    if (by === 'trial') places[i] = i;
    else if (by === 'time') places[i] = trial.ended[i] === kNone ? NaN : trial.ended[i] * meta.tick;
    else places[i] = spent += trial.epochs[i];
  }
  return places;
}

// Whether a trial can be the best: complete ones can, where none is complete all but failed ones;
// never those that break a bound.
function contenders() {
  const {state, violation, value} = page.trial, complete = state.includes(kComplete);
  return (i) => (complete ? state[i] === kComplete : state[i] !== kFailed) &&
                !(violation && violation[i] > 0) && Number.isFinite(value[i]);
}

const isBetter = (value, other) => (page.meta.maximize ? value > other : value < other);

// The best so far, as [place, value, trial] in the order of the places.
function bestSoFar(places) {
  const {value} = page.trial, counts = contenders(), order = [], steps = [];
  for (let i = 0; i < places.length; ++i) if (counts(i) && Number.isFinite(places[i])) order.push(i);
  order.sort((a, b) => places[a] - places[b]);
  let best = null;
  for (const i of order) {
    if (best !== null && !isBetter(value[i], best)) continue;
    best = value[i];
    steps.push([places[i], best, i]);
  }
  return steps;
}

function cross(pen, x, y, color) {
  pen.strokeStyle = color;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(x - 3, y - 3);
  pen.lineTo(x + 3, y + 3);
  pen.moveTo(x + 3, y - 3);
  pen.lineTo(x - 3, y + 3);
  pen.stroke();
}

// Complete trials are dots, stopped ones rings, failed ones crosses.
function drawState({color}, pen, trial, x, y) {
  const state = page.trial.state[trial];
  if (state === kFailed) cross(pen, x, y, color.failed);
  else if (state !== kComplete) ring(pen, x, y, color.stopped, 2.5);
  else dot(pen, x, y, color.data, 3.5);
}

function* drawStates(c, {xs, ys, trials, count}) {
  const {pen, color} = c, {state} = page.trial, isMany = count > kMany;
  for (const [kind, shade] of isMany ? [[kStopped, color.stopped], [kComplete, color.data]] : []) {
    const raster = new Raster(c);
    for (let k = 0; k < count; ++k) if (state[trials[k]] === kind) raster.dot(xs[k], ys[k], 1);
    raster.paint(pen, shade, 0.45);
    yield;
  }
  for (let k = 0; k < count; ++k)
    if (!isMany || state[trials[k]] === kFailed) drawState(c, pen, trials[k], xs[k], ys[k]);
}

// Nothing among the points: the line is interrupted.
function drawLine(pen, points, color, width, dash = []) {
  pen.strokeStyle = color;
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.beginPath();
  let before = null;
  for (const point of points) {
    if (point) before ? pen.lineTo(...point) : pen.moveTo(...point);
    before = point;
  }
  pen.stroke();
  pen.setLineDash([]);
}

// The best so far as stairs, up to the last place.
function drawStairs(pen, steps, px, py, last, color) {
  const line = [];
  for (const [place, value] of steps) {
    if (line.length) line.push([px(place), line[line.length - 1][1]]);
    line.push([px(place), py(value)]);
  }
  if (line.length) line.push([px(last), line[line.length - 1][1]]);
  drawLine(pen, line, color, 2);
}

function* drawHistory(c) {
  const {meta, trial} = page, {pen, color} = c;
  const y = metricAxis(trial.value, meta.maximize, meta.baseline?.value);
  if (!y) return {note: 'No trial has a number.'};
  const places = placesOf(historyBy.by);
  const last = Math.max(1e-9, places.reduce((a, b) => (b > a ? b : a), 0));
  const {px, py, right} = frame(c, (historyBy.by === 'time' ? axis : wholeAxis)('linear', 0, last), y);
  const pointOf = (i) =>
    Number.isFinite(trial.value[i]) && Number.isFinite(places[i]) ? [px(places[i]), py(trial.value[i])] : null;
  const marks = new Marks(places.length);
  let failed = 0, crosses = 0;
  for (let i = 0; i < places.length; ++i) {
    failed += trial.state[i] === kFailed;
    const at = pointOf(i);
    if (at) marks.add(i, ...at);
    if (at) crosses += trial.state[i] === kFailed;
  }
  if (meta.baseline && meta.baseline.value !== null) {
    const at = py(meta.baseline.value);
    drawLine(pen, [[px(0), at], [c.width - right, at]], color.soft, 1, [4, 4]);
  }
  yield* drawStates(c, marks.cut());
  drawStairs(pen, bestSoFar(places), px, py, last, color.winner);
  const best = meta.best === null ? null : pointOf(meta.best);
  if (best) dot(pen, ...best, color.winner, 4.5);
  const has = (state) => trial.state.includes(state);
  const kinds = [has(kComplete) && 'dots are complete', has(kStopped) && 'rings stopped early', crosses && 'crosses failed'];
  const notes = ['The line is the best so far; ' + kinds.filter(Boolean).join(', ') + '.'];
  if (meta.baseline && meta.baseline.value !== null) notes.push(`Dashed: ${meta.baseline.name}.`);
  if (y.outside) notes.push(`${y.outside} of ${marks.count} are beyond the axis and drawn at its edge.`);
  if (failed) notes.push(crosses < failed ? `${failed - crosses} failed without a value.` : `${failed} failed.`);
  return {marks, note: notes.join(' '),
          mark: (over, i) => {
            const at = pointOf(i);
            if (at) ring(over, ...at, color.ink);
          },
          add: (over, i) => {
            const {value, state} = page.trial;
            if (Number.isFinite(value[i]) && state[i] > 1)
              drawState(c, over, i, px(historyBy.by === 'trial' ? i : last), py(value[i]));
          }};
}

// Buttons that change what the picture goes by.
function choices(chart, names, state) {
  const row = make('div', 'choices');
  row.setAttribute('role', 'group');
  for (const [key, name] of names) {
    const button = row.appendChild(make('button', '', name));
    button.setAttribute('aria-pressed', String(key === state.by));
    button.addEventListener('click', () => {
      state.by = key;
      for (const other of row.children) other.setAttribute('aria-pressed', String(other === button));
      chart.paint();
    });
  }
  chart.figure.prepend(row);
}

kPictures.history = [drawHistory, 300];
