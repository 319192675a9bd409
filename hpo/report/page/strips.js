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

function drawStrip(c, p, y, top, found) {
  const {meta, trial} = page, {pen, width, color} = c, parameter = meta.parameters[p];
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
  const complete = [], values = [];
  for (let i = 0; i < trial.value.length; ++i) {
    const value = paramNumber(p, i);
    if (Number.isNaN(value) || !Number.isFinite(trial.value[i]) || trial.state[i] === kFailed) continue;
    const u = x.at(value) + (words ? spread(i) / parameter.labels.length : 0);
    complete.push([i, px(u), py(trial.value[i])]);
    values.push([value, trial.value[i]]);
  }
  for (const [kind, shade] of [[false, color.stopped], [true, color.data]]) {
    const raster = new Raster({pen: c.pen, width, height: kStrip});
    for (const [i, dx, dy] of complete)
      if ((trial.state[i] === kComplete) === kind) raster.dot(dx, dy - top, complete.length > kMany ? 1 : 2);
    raster.paint(shiftedContext(pen, top), shade, complete.length > kMany ? 0.4 : 0.85);
  }
  if (!words)
    drawLine(pen, ridge(values, x.at, meta.maximize).map(([u, v]) => [px(u), py(v)]), color.ink, 1.2);
  for (const [i, dx, dy] of complete) {
    found.trials.push(i);
    found.xs.push(dx);
    found.ys.push(dy);
    if (i !== meta.best) continue;
    pen.fillStyle = color.winner;
    pen.beginPath();
    pen.arc(dx, dy, 4.5, 0, 7);
    pen.fill();
  }
}

// Paints a raster of one strip at its place.
function shiftedContext(pen, top) {
  return {
    save: () => pen.save(), restore: () => pen.restore(),
    setTransform: (...numbers) => pen.setTransform(...numbers),
    drawImage: (image) => pen.drawImage(image, 0, Math.round(top * Math.min(window.devicePixelRatio || 1, 2))),
  };
}

const shownParameters = () => Math.min(page.meta.parameters.length, kMostStrips);

function drawStrips(c) {
  const y = metricAxis(page.trial.value, page.meta.maximize);
  if (!y) return {note: 'No trial has a number.'};
  const found = marksOf([], [], []);
  for (let p = 0; p < shownParameters(); ++p) drawStrip(c, p, y, p * kStrip, found);
  const rows = new Map();
  found.trials.forEach((one, i) => rows.has(one) ? rows.get(one).push(i) : rows.set(one, [i]));
  const more = page.meta.parameters.length - shownParameters();
  return {marks: found,
          note: (page.meta.maximize ? 'Upwards' : 'Downwards') + ' is better. The band holds the middle of the best tenth, the line is the best tenth at each place.' +
                (more > 0 ? ` ${more} parameters of less importance are not drawn.` : ''),
          mark: (pen, one) => {
            for (const i of rows.get(one) || []) ring(pen, found.xs[i], found.ys[i], c.color.ink);
          }};
}

kPictures.strips = [drawStrips, () => shownParameters() * kStrip];
