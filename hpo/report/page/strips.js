// Every trial along each parameter: dots, the band of the best tenth, and the line of the best tenth
// at each place.

const kMostStrips = 12, kStrip = 78, kPlaces = 32;

// The best tenth of the values at each place of a range, where there are enough.
function ridge(values, at, maximize) {
  const bins = Array.from({length: kPlaces}, () => []);
  values.forEach(([x, value]) =>
    bins[Math.min(Math.max(Math.floor(at(x) * kPlaces), 0), kPlaces - 1)].push(value));
  const line = [];
  bins.forEach((bin, i) => {
    if (bin.length < 5) return;
    line.push([(i + 0.5) / kPlaces, quantile(Float64Array.from(bin).sort(), maximize ? 0.9 : 0.1)]);
  });
  return line.length > 2 ? line : [];
}

// Words stand in columns; within one, trials spread by their number.
const spread = (trial) => ((trial * 0.6180339887) % 1 - 0.5) * 0.5;

// Where a parameter's strip has its marks, with its axes drawn.
function openStrip(c, p, y) {
  const {pen, width, color} = c, parameter = page.meta.parameters[p], top = p * kStrip;
  const left = Math.min(170, width * 0.25), right = 14, height = kStrip - 30;
  const x = parameterAxis(p), words = x.kind === 'words';
  const px = (u) => left + Math.min(Math.max(u, 0), 1) * (width - left - right);
  const py = (v) => top + 8 + (1 - Math.min(Math.max(y.at(v), 0), 1)) * height;
  write(pen, parameter.name, 0, top + 20, 'left', color.ink, left - 16);
  if (parameter.share !== null)
    write(pen, Math.round(100 * parameter.share) + '%', 0, top + 38, 'left', color.soft);
  if (parameter.low !== null && parameter.high >= parameter.low) {
    pen.fillStyle = color.band;
    pen.fillRect(px(x.at(parameter.low)), top + 4, px(x.at(parameter.high)) - px(x.at(parameter.low)), height + 8);
  }
  pen.strokeStyle = color.line;
  pen.strokeRect(left, top + 4, width - left - right, height + 8);
  const room = (width - left - right) / (words ? parameter.labels.length : 1);
  for (const tick of x.ticks(Math.max(2, Math.floor((width - left - right) / 90))))
    if (!words || room > 14)
      write(pen, tickText(p, tick), px(x.at(tick)), top + height + 22, 'center', color.soft, words ? room - 4 : 80);
  const pointOf = (i, value = paramNumber(p, i)) => {
    const {trial} = page;
    if (Number.isNaN(value) || !Number.isFinite(trial.value[i]) || trial.state[i] === kFailed) return null;
    return [px(x.at(value) + (words ? spread(i) / parameter.labels.length : 0)), py(trial.value[i])];
  };
  return {x, words, px, py, top, pointOf};
}

function* drawStrip(c, p, y, marks) {
  const {meta, trial} = page, {pen, width, color} = c, {x, words, px, py, top, pointOf} = openStrip(c, p, y);
  const from = marks.count, numbers = paramNumbers(p), values = [];
  for (let i = 0; i < numbers.length; ++i) {
    const at = pointOf(i, numbers[i]);
    if (!at) continue;
    marks.add(i, ...at);
    values.push([numbers[i], trial.value[i]]);
  }
  const {trials, xs, ys, count} = marks, isMany = count - from > kMany;
  for (const [kind, shade] of isMany ? [[false, color.stopped], [true, color.data]] : []) {
    const raster = new Raster({pen, width, height: kStrip});
    for (let k = from; k < count; ++k)
      if ((trial.state[trials[k]] === kComplete) === kind) raster.dot(xs[k], ys[k] - top, 1);
    raster.paint(pen, shade, 0.4, top);
    yield;
  }
  for (let k = from; !isMany && k < count; ++k) drawState(c, pen, trials[k], xs[k], ys[k]);
  const line = words ? [] : ridge(values, x.at, meta.maximize);
  drawLine(pen, line.map(([u, v]) => [px(u), py(v)]), color.ink, 1.2);
  const best = meta.best === null ? null : pointOf(meta.best);
  if (best) dot(pen, ...best, color.winner, 4.5);
  yield;
  return {pointOf, hasLine: line.length > 0};
}

const shownParameters = () => Math.min(page.meta.parameters.length, kMostStrips);

function* drawStrips(c) {
  const y = metricAxis(page.trial.value, page.meta.maximize), {color} = c;
  if (!y) return {note: 'No trial has a number.'};
  const shown = shownParameters(), marks = new Marks(shown * page.trial.state.length), strips = [];
  for (let p = 0; p < shown; ++p) strips.push(yield* drawStrip(c, p, y, marks));
  const more = page.meta.parameters.length - shown;
  const everywhere = (draw) => (pen, i) => {
    for (const {pointOf} of strips) {
      const at = pointOf(i);
      if (at) draw(pen, i, ...at);
    }
  };
  return {marks: marks.cut(),
          note: (page.meta.maximize ? 'Upwards' : 'Downwards') + ' is better.' +
                (page.meta.parameters.some((one) => one.low !== null) ? ' The band holds most of the best tenth of the trials.' : '') +
                (strips.some((one) => one.hasLine) ? ' The line is what the best tenth near each value reached.' : '') +
                (more > 0 ? ` ${more} parameters of less importance are not drawn.` : ''),
          mark: everywhere((pen, i, ...at) => ring(pen, ...at, color.ink)),
          add: everywhere((pen, i, ...at) => drawState(c, pen, i, ...at))};
}

kPictures.strips = [drawStrips, () => shownParameters() * kStrip];
