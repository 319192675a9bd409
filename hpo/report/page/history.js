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

// The best so far, in the order of the places: of complete trials; where none is complete of all.
function bestSoFar(places) {
  const {trial, meta} = page;
  const complete = trial.state.includes(kComplete);
  const order = [...places.keys()].filter((i) => {
    const counts = complete ? trial.state[i] === kComplete : trial.state[i] !== kFailed;
    const breaks = trial.violation && trial.violation[i] > 0;
    return counts && !breaks && Number.isFinite(trial.value[i]) && Number.isFinite(places[i]);
  }).sort((a, b) => places[a] - places[b]);
  const steps = [];
  let best = null;
  for (const i of order) {
    const value = trial.value[i];
    if (best !== null && !(meta.maximize ? value > best : value < best)) continue;
    best = value;
    steps.push([places[i], value]);
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
function drawStates(c, xs, ys, trials) {
  const {pen, color} = c, {state} = page.trial;
  if (trials.length > kMany) {
    for (const [kind, shade, half] of [[kStopped, color.stopped, 1], [kComplete, color.data, 1]]) {
      const raster = new Raster(c);
      trials.forEach((trial, i) => state[trial] === kind && raster.dot(xs[i], ys[i], half));
      raster.paint(pen, shade, 0.45);
    }
    trials.forEach((trial, i) => state[trial] === kFailed && cross(pen, xs[i], ys[i], color.failed));
    return;
  }
  trials.forEach((trial, i) => {
    if (state[trial] === kFailed) return cross(pen, xs[i], ys[i], color.failed);
    if (state[trial] !== kComplete) return ring(pen, xs[i], ys[i], color.stopped, 2.5);
    pen.fillStyle = color.data;
    pen.beginPath();
    pen.arc(xs[i], ys[i], 3.5, 0, 7);
    pen.fill();
  });
}

function drawLine(pen, points, color, width, dash = []) {
  pen.strokeStyle = color;
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.beginPath();
  points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
  pen.setLineDash([]);
}

function drawHistory(c) {
  const {meta, trial} = page;
  const y = metricAxis(trial.value, meta.maximize);
  if (!y) return {note: 'No trial has a number.'};
  const places = placesOf(historyBy.by);
  const last = Math.max(1e-9, places.reduce((a, b) => (b > a ? b : a), 0));
  const {px, py, right} = frame(c, (historyBy.by === 'time' ? axis : wholeAxis)('linear', 0, last), y);
  const trials = [], xs = [], ys = [];
  for (let i = 0; i < places.length; ++i) {
    if (!Number.isFinite(trial.value[i]) || !Number.isFinite(places[i])) continue;
    trials.push(i);
    xs.push(px(places[i]));
    ys.push(py(trial.value[i]));
  }
  if (meta.baseline && meta.baseline.value !== null) {
    const at = py(meta.baseline.value);
    drawLine(c.pen, [[px(0), at], [c.width - right, at]], c.color.soft, 1, [4, 4]);
    write(c.pen, meta.baseline.name, c.width - right - 4, at - 9, 'right', c.color.soft, 260);
  }
  drawStates(c, xs, ys, trials);
  const steps = bestSoFar(places), line = [];
  for (const [place, value] of steps) {
    if (line.length) line.push([px(place), line[line.length - 1][1]]);
    line.push([px(place), py(value)]);
  }
  if (line.length) line.push([px(last), line[line.length - 1][1]]);
  drawLine(c.pen, line, c.color.winner, 2);
  const index = new Map(trials.map((one, i) => [one, i]));
  const best = index.get(meta.best);
  if (best !== undefined) {
    c.pen.fillStyle = c.color.winner;
    c.pen.beginPath();
    c.pen.arc(xs[best], ys[best], 4.5, 0, 7);
    c.pen.fill();
  }
  const failed = trial.state.reduce((sum, state) => sum + (state === kFailed), 0);
  const notes = ['Dots are complete, rings stopped early, crosses failed; the line is the best so far.'];
  if (y.outside) notes.push(`${y.outside} of ${trials.length} lie outside and stand on the edge.`);
  if (failed) notes.push(`${failed} failed.`);
  return {marks: marksOf(trials, xs, ys), note: notes.join(' '),
          mark: (pen, one) => {
            const i = index.get(one);
            if (i !== undefined) ring(pen, xs[i], ys[i], c.color.ink);
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
