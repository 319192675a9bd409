// The reports of all trials: lines, from many points on a density; the winner and the next on top.

const kDense = 20000, kOnTop = 10;

// Rungs that grow by a factor are as far from each other as their logarithms.
function stepAxis(step) {
  let low = Infinity, high = 1;
  for (const one of step) {
    if (one < low) low = one;
    if (one > high) high = one;
  }
  const log = low > 0 && high / low >= 9 && new Set(step.subarray(0, 4000)).size <= 12;
  return wholeAxis(log ? 'log' : 'linear', log ? low : Math.min(low, 0), high);
}

// The trials with the best ranks, the best last.
function leaders() {
  const {rank} = page.trial;
  return [...rank.keys()].filter((i) => rank[i] < kOnTop).sort((a, b) => rank[b] - rank[a]);
}

function curvePoints(i, px, py) {
  const {first, step, value} = page.curve;
  const line = [];
  for (let k = first[i]; k < first[i + 1]; ++k)
    if (Number.isFinite(value[k])) line.push([px(step[k]), py(value[k])]);
  return line;
}

function drawCurves(c) {
  if (!page.curve) return {note: 'The curves are being read.'};
  const {meta, trial, curve} = page, {pen, color} = c;
  const y = metricAxis(curve.value, meta.maximize);
  if (!y) return {note: 'No report is a number.'};
  const {px, py} = frame(c, stepAxis(curve.step), y);
  const dense = curve.value.length > kDense, columns = new Map();
  const column = (step) => {
    if (!columns.has(step)) columns.set(step, px(step));
    return columns.get(step);
  };
  for (const [shade, kind] of [[color.stopped, false], [color.data, true]]) {
    const raster = new Raster(c);
    for (let i = 0; i < trial.state.length; ++i) {
      if ((trial.state[i] === kComplete) !== kind) continue;
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
    raster.paint(pen, shade, dense ? 0.05 : 0.5);
  }
  const ends = marksOf([], [], []);
  for (const i of leaders()) {
    const line = curvePoints(i, px, py), isBest = i === meta.best;
    drawLine(pen, line, isBest ? color.winner : color.ink, isBest ? 2.5 : 0.8);
    for (const [x, at] of line) {
      ends.trials.push(i);
      ends.xs.push(x);
      ends.ys.push(at);
    }
  }
  return {marks: ends, mark: (over, i) => drawLine(over, curvePoints(i, px, py), color.ink, 2),
          note: (dense ? 'Drawn as density: the darker, the more curves. ' : 'Grey where a trial did not complete. ') +
                'The winner is orange, the next nine are thin lines.' +
                (y.outside ? ` ${y.outside} reports lie outside and stand on the edge.` : '')};
}

kPictures.curves = [drawCurves, 340];
