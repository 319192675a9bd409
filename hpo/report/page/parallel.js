// All parameters together: a line a trial. A drag along an axis selects.

const kBrushes = new Map();

// `place`: where a trial stands from 0 to 1, `all`: where all do; -1 where one has no value.
function parallelAxes() {
  const {meta, trial} = page, axes = [];
  const placesOn = (at) => (value) => (Number.isFinite(value) ? Math.min(Math.max(at(value), 0), 1) : -1);
  for (let p = 0; p < shownParameters(); ++p) {
    const x = parameterAxis(p), place = placesOn(x.at);
    axes.push({name: meta.parameters[p].name, at: x.at, ticks: x.ticks, text: (v) => tickText(p, v),
               place: (i) => place(paramNumber(p, i)), all: () => Float32Array.from(paramNumbers(p), place)});
  }
  const y = metricAxis(trial.value, meta.maximize);
  if (y) {
    const place = placesOn(y.at);
    axes.push({name: meta.metric, at: y.at, ticks: y.ticks, text: shown,
               place: (i) => place(page.trial.value[i]), all: () => Float32Array.from(page.trial.value, place)});
  }
  return axes;
}

// Trials that all selections hold; null where nothing is selected.
function brushed(axes) {
  if (kBrushes.size === 0) return null;
  const chosen = new Set();
  for (let i = 0; i < page.trial.state.length; ++i) {
    let inside = true;
    for (const [k, [low, high]] of kBrushes) {
      const place = axes[k].place(i);
      inside = inside && place >= low && place <= high;
    }
    if (inside) chosen.add(i);
  }
  return chosen;
}

// The lines of trials that are not to be seen one by one, counted; returns the others, the best last.
function* drawPale(c, places, px, py, chosen) {
  const {trial} = page, bright = [], raster = new Raster(c), count = places[0].length;
  for (let i = 0; i < count; ++i) {
    if (i % 500 === 0) yield;
    if (trial.state[i] === kFailed) continue;
    if (chosen ? chosen.has(i) : trial.tenth[i]) {
      bright.push(i);
      continue;
    }
    let before = -1;
    for (let k = 0; k < places.length; ++k) {
      const isThere = places[k][i] >= 0;
      if (isThere && before >= 0) raster.line(px(before), py(places[before][i]), px(k), py(places[k][i]));
      before = isThere ? k : -1;
    }
  }
  raster.paint(c.pen, c.color.stopped, count > kMany ? 0.03 : 0.22);
  yield;
  return bright.sort((a, b) => trial.rank[b] - trial.rank[a]);
}

function drawAxes(c, axes, px, py, top, bottom) {
  const {pen, width, height, color} = c, room = px(1) - px(0);
  axes.forEach((one, k) => {
    const isEnd = k === 0 || k === axes.length - 1;
    pen.strokeStyle = color.soft;
    pen.lineWidth = 1;
    pen.strokeRect(px(k), top, 0, height - top - bottom);
    // Where there is little room, the names stand in two rows.
    write(pen, one.name, px(k), room < 90 && k % 2 ? 28 : 12, k === 0 ? 'left' : isEnd ? 'right' : 'center', color.ink,
          (room < 90 ? 1.3 : isEnd ? 0.6 : 0.8) * room);
    for (const tick of one.ticks(5)) writeOver(c, one.text(tick), px(k) + 4, py(one.at(tick)), 56);
    const brush = kBrushes.get(k);
    if (!brush) return;
    pen.strokeStyle = color.winner;
    pen.lineWidth = 2;
    pen.strokeRect(px(k) - 6, py(brush[1]), 12, py(brush[0]) - py(brush[1]));
  });
}

function* drawParallel(c) {
  const {pen, width, height, color} = c, {trial, meta} = page;
  const axes = parallelAxes();
  if (axes.length < 2) return {note: ''};
  const left = 30, right = 60, bottom = 16, top = (width - left - right) / (axes.length - 1) < 90 ? 46 : 30;
  const px = (k) => left + k * (width - left - right) / (axes.length - 1);
  const py = (u) => height - bottom - u * (height - top - bottom);
  const chosen = brushed(axes), places = axes.map((one) => one.all());
  yield;
  const points = (i) => {
    const line = [];
    axes.forEach((one, k) => {
      const place = one.place(i);
      // Without the parameter a line passes below its axis.
      line.push(place >= 0 ? [px(k), py(place)] : k + 1 < axes.length ? [px(k), height - 3] : null);
    });
    return line;
  };
  const dark = isDark(), bright = yield* drawPale(c, places, px, py, chosen);
  const most = Math.max(1, ...bright.slice(0, 1).map((i) => trial.rank[i]));
  pen.globalAlpha = bright.length > 300 ? 0.35 : 0.9;
  for (const [k, i] of bright.entries()) {
    if (k % 50 === 0) yield flushed(pen);
    drawLine(pen, points(i), rankColor(trial.rank[i] / most, dark), 1.2);
  }
  pen.globalAlpha = 1;
  if (meta.best !== null) drawLine(pen, points(meta.best), color.winner, 2.2);
  drawAxes(c, axes, px, py, top, bottom);
  places.forEach((all, k) => k + 1 < axes.length && all.some((one) => one < 0) &&
                             write(pen, 'without it', px(k) + 4, height - 9, 'left', color.soft, 70));
  c.chart.brushing = {px, axes, unit: (y) => Math.min(Math.max((height - bottom - y) / (height - top - bottom), 0), 1)};
  const selected = chosen ? `${chosen.size} trials are selected; a click on an axis ends that.`
                          : (bright.length > 1 ? 'The best tenth by rank, from ' + (dark ? 'light to dark' : 'dark to light') + '. ' : '') + 'The winner is orange. Drag along an axis to select.';
  return {note: selected, mark: (over, i) => drawLine(over, points(i), color.ink, 2),
          add: (over, i) => page.trial.state[i] > 1 && page.trial.state[i] !== kFailed &&
                            drawLine(over, points(i), color.stopped, 0.5),
          marks: endMarks(bright, places[axes.length - 1], px(axes.length - 1), py)};
}

function endMarks(trials, column, x, py) {
  const marks = new Marks(trials.length);
  for (const i of trials) if (column[i] >= 0) marks.add(i, x, py(column[i]));
  return marks.cut();
}

// Selecting with the pointer; what is selected is what the table shows.
function brushable(chart) {
  let from = null;
  const axisAt = (x) => {
    const {px, axes} = chart.brushing;
    const k = axes.findIndex((_, i) => Math.abs(px(i) - x) < 16);
    return k < 0 ? null : k;
  };
  chart.over.style.touchAction = 'pan-y';
  chart.over.addEventListener('pointerdown', (event) => {
    const k = chart.brushing ? axisAt(event.offsetX) : null;
    from = k === null ? null : [k, chart.brushing.unit(event.offsetY)];
    if (from) chart.over.setPointerCapture(event.pointerId);
  });
  chart.over.addEventListener('pointerup', (event) => {
    if (!from) return;
    const [k, start] = from, end = chart.brushing.unit(event.offsetY);
    from = null;
    if (Math.abs(end - start) < 0.01) kBrushes.delete(k);
    else kBrushes.set(k, [Math.min(start, end), Math.max(start, end)]);
    chart.paint();
    page.picked = brushed(chart.brushing.axes);
    if (page.table) page.table.refresh();
  });
}

// For other axes.
function unbrush() {
  kBrushes.clear();
  page.picked = null;
}

kPictures.parallel = [drawParallel, 320];
