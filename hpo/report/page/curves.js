// The reports of all trials: lines, from many points on a density; the winner and the next on top.

const kDense = 20000, kOnTop = 10, kPause = 200;

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

// Counts all lines, which of many reports takes longer than a frame: it pauses again and again. Its
// pen is one that nobody sees.
function* countCurves(c) {
  const {meta, trial, curve} = page, {color} = c;
  const y = metricAxis(curve.value, meta.maximize);
  yield;
  if (!y) return null;
  const x = stepAxis(curve.step), {px, py} = frame(c, x, y), columns = new Map(), layers = [];
  const column = (step) => {
    if (!columns.has(step)) columns.set(step, px(step));
    return columns.get(step);
  };
  for (const [shade, kind] of [[color.stopped, false], [color.data, true]]) {
    const raster = new Raster(c);
    for (let i = 0; i < trial.state.length; ++i) {
      if (i % kPause === 0) yield;
      if ((trial.state[i] === kComplete) !== kind || i + 1 >= curve.first.length) continue;
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
    layers.push([raster, shade]);
  }
  return {x, y, layers};
}

function drawCurves(c) {
  if (!page.curve) return {note: 'The curves are being read.'};
  const counted = c.chart.counted === undefined ? whole(countCurves(c.chart.unseen())) : c.chart.counted;
  c.chart.counted = undefined;
  if (!counted) return {note: 'No report is a number.'};
  const {x, y, layers} = counted, {pen, color} = c, {meta, curve} = page;
  const {px, py} = frame(c, x, y), dense = curve.value.length > kDense;
  for (const [raster, shade] of layers) raster.paint(pen, shade, dense ? 0.05 : 0.5);
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

kPictures.curves = [drawCurves, 340, countCurves];
