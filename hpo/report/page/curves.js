// The reports of all trials: lines, from many points on a density; the winner and the next on top.

const kDense = 20000, kOnTop = 10, kPause = 200;

// Rungs that grow by a factor are as far from each other as their logarithms.
function stepAxis(step) {
  let low = Infinity, high = 1;
  for (const one of step) {
    if (one < low) low = one;
    if (one > high) high = one;
  }
  const rungs = [...new Set(step.subarray(0, 4000))].sort((a, b) => a - b);
  if (low <= 0 || high / low < 9 || rungs.length > 12) return wholeAxis('linear', low, high);
  return {...axis('log', low, high), ticks: () => rungs};
}

// The trials with the best ranks, the best last.
function leaders() {
  const {rank} = page.trial;
  return [...rank.keys()].filter((i) => rank[i] < kOnTop).sort((a, b) => rank[b] - rank[a]);
}

const lengthOf = (i) => (i + 1 < page.curve.first.length ? page.curve.first[i + 1] - page.curve.first[i] : 0);

function curvePoints(i, px, py) {
  const {first, step, value} = page.curve, line = [];
  for (let k = first[i]; k < first[i + 1]; ++k)
    if (Number.isFinite(value[k])) line.push([px(step[k]), py(value[k])]);
  return line;
}

// Counts the lines of the trials that are complete, or of the others.
function* countCurves(c, px, py, complete) {
  const {trial, curve} = page, raster = new Raster(c), columns = new Map();
  const column = (step) => {
    if (!columns.has(step)) columns.set(step, px(step));
    return columns.get(step);
  };
  for (let i = 0; i + 1 < curve.first.length; ++i) {
    if (i % kPause === 0) yield;
    if ((trial.state[i] === kComplete) !== complete) continue;
    let fromX = -1, fromY = 0;
    for (let k = curve.first[i]; k < curve.first[i + 1]; ++k) {
      const value = curve.value[k];
      if (!Number.isFinite(value)) continue;
      const x = column(curve.step[k]), at = py(value);
      if (fromX >= 0) raster.line(fromX, fromY, x, at);
      else raster.dot(x, at, 1);
      fromX = x, fromY = at;
    }
  }
  return raster;
}

function* drawCurves(c) {
  const {curve, meta, trial} = page, {pen, color} = c;
  if (!curve) return {note: 'The curves are being read.'};
  const y = metricAxis(curve.value, meta.maximize);
  yield;
  if (!y) return {note: 'No report is a number.'};
  const {px, py} = frame(c, stepAxis(curve.step), y), dense = curve.value.length > kDense;
  for (const [shade, complete] of [[color.stopped, false], [color.data, true]]) {
    const raster = yield* countCurves(c, px, py, complete);
    raster.paint(pen, shade, dense ? 0.05 : 0.5);
    yield;
  }
  const top = leaders(), marks = new Marks(top.reduce((sum, i) => sum + lengthOf(i), 0));
  for (const i of top) {
    const line = curvePoints(i, px, py), isBest = i === meta.best;
    drawLine(pen, line, isBest ? color.winner : trial.state[i] === kComplete ? color.data : color.soft, isBest ? 2.5 : 1);
    for (const at of line) marks.add(i, ...at);
  }
  return {marks: marks.cut(), mark: (over, i) => drawLine(over, curvePoints(i, px, py), color.ink, 2),
          addReport: (over, i, from, to) => {
            if (!Number.isFinite(to[1])) return;
            const at = [px(to[0]), py(to[1])];
            if (from && Number.isFinite(from[1])) drawLine(over, [[px(from[0]), py(from[1])], at], color.stopped, 1);
            else dot(over, ...at, color.stopped, 1.5);
          },
          note: (dense ? 'Drawn as density: the darker, the more curves. ' : '') +
                (trial.state.some((state) => state !== kComplete) ? 'Grey where a trial did not complete. ' : '') +
                'The winner is orange' + (top.length > 1 ? ', the next best are green.' : '.') +
                (y.outside ? ` ${y.outside} reports beyond the axis are drawn at its edge.` : '')};
}

kPictures.curves = [drawCurves, 340];
