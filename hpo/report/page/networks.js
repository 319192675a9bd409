// Networks: who went on from whom, what was tried, and fronts of several metrics.

// A row a trial; a step from one row to another is a copy of a network.
function drawLineage(c) {
  const {pen, width, height, color} = c, {hands, descent} = page.meta.lineage;
  const rows = [...new Set(hands.flatMap(([trial, source]) => [trial, source]))].sort((a, b) => a - b);
  const place = new Map(rows.map((trial, i) => [trial, i]));
  const last = Math.max(...page.trial.step, ...hands.map(([, , step]) => step));
  const left = 74, right = 16, top = 8, bottom = 24;
  const x = wholeAxis('linear', 0, last);
  const px = (step) => left + x.at(step) * (width - left - right);
  const py = (trial) => top + (place.get(trial) + 0.5) * (height - top - bottom) / rows.length;
  for (const trial of rows) {
    write(pen, 'trial ' + trial, 4, py(trial), 'left', color.soft);
    drawLine(pen, [[px(0), py(trial)], [px(page.trial.step[trial]), py(trial)]], color.line, 3);
  }
  for (const [trial, source, step, change] of hands) {
    const from = px(step), to = from + Math.min(14, (width - left) / 60);
    pen.strokeStyle = color.soft;
    pen.lineWidth = 1.2;
    pen.beginPath();
    pen.moveTo(from, py(source));
    pen.bezierCurveTo(to, py(source), from, py(trial), to, py(trial));
    pen.stroke();
    if (change)
      write(pen, /shrink|drop|remove/.test(change) ? '−' : '+', to + 5, py(trial) - 6, 'left', color.ink);
  }
  const line = [];
  descent.forEach(([trial, from], i) => {
    const until = i + 1 < descent.length ? descent[i + 1][1] : page.trial.step[trial];
    line.push([px(from), py(trial)], [px(until), py(trial)]);
  });
  if (descent.length && descent.every(([trial]) => place.has(trial))) drawLine(pen, line, color.winner, 3);
  for (const tick of x.ticks(8)) write(pen, shown(tick), px(tick), height - 10, 'center', color.soft);
  const marks = new Marks(rows.length);
  for (const trial of rows) marks.add(trial, left, py(trial));
  return {note: 'A line is a trial, a step to another line a copy of its network; + and − mark a change of its shape. The winner’s line of descent is orange.',
          marks,
          mark: (over, trial) => place.has(trial) && drawLine(over, [[px(0), py(trial)], [px(last), py(trial)]], color.ink, 1)};
}

const lineageHeight = () =>
  40 + 22 * Math.min(40, new Set(page.meta.lineage.hands.flatMap(([trial, source]) => [trial, source])).size);

const flopsText = (count) => (count >= 1e6 ? shown(count / 1e6) + ' MFLOP' : count >= 1e3 ? shown(count / 1e3) + ' kFLOP' : shown(count) + ' FLOP');

// What each candidate costs and scored; the line joins what was kept.
function drawCandidates(c) {
  const {pen, color} = c, all = page.meta.candidates.filter(([cost, score]) => cost > 0 && score !== null);
  if (all.length === 0) return {note: 'No candidate was measured.'};
  const better = page.meta.maximize;
  const costs = all.map(([cost]) => cost), scores = sorted(all.map(([, score]) => score));
  const y = axis(kindOf(scores, better), scores[0], scores[scores.length - 1], 1e-4);
  const {px, py} = frame(c, axis('log', Math.min(...costs) / 1.1, Math.max(...costs) * 1.1), y, {xText: flopsText});
  const kept = all.filter(([, , accepted]) => accepted);
  for (const [cost, score, accepted] of all) {
    if (accepted) continue;
    dot(pen, px(cost), py(score), color.stopped, 3);
  }
  drawLine(pen, kept.map(([cost, score]) => [px(cost), py(score)]), color.winner, 1.5);
  kept.forEach(([cost, score, , shape], i) => {
    dot(pen, px(cost), py(score), color.winner, 4.5);
    const isEnd = i === 0 || i === kept.length - 1;
    if (isEnd) write(pen, shape, px(cost) + 8, py(score) + 10, 'left', color.ink, 180);
  });
  return {note: 'To the right: work of one row. Upwards: what a candidate scored on the rows of its race. The line is what the network became.'};
}

// Two metrics at a time: the first one and each other one.
function* drawFront(c) {
  const {meta, trial} = page, {pen, color} = c;
  const one = meta.metrics[0], others = trial.m0;
  const x = metricAxis(others, one.maximize), y = metricAxis(trial.value, meta.maximize);
  if (!x || !y) return {note: 'No trial has both metrics.'};
  const {px, py} = frame(c, x, y);
  const pointOf = (i) => {
    const {m0, value} = page.trial;
    return Number.isFinite(value[i]) && Number.isFinite(m0[i]) ? [px(m0[i]), py(value[i])] : null;
  };
  const marks = new Marks(others.length);
  for (let i = 0; i < others.length; ++i) {
    const at = pointOf(i);
    if (at) marks.add(i, ...at);
  }
  yield* drawStates(c, marks.cut());
  for (const i of meta.front) {
    const at = pointOf(i);
    if (at) ring(pen, ...at, i === meta.best ? color.winner : color.data, 5.5);
  }
  const drawn = (draw) => (over, i) => {
    const at = pointOf(i);
    if (at) draw(over, i, ...at);
  };
  return {marks,
          note: `Upwards ${meta.metric}, to the right ${one.name}; ringed trials are on the front` +
                (meta.metrics.length > 1 ? ` of all ${meta.metrics.length + 1} metrics.` : '.'),
          mark: drawn((over, i, ...at) => ring(over, ...at, color.ink, 8)),
          add: drawn((over, i, ...at) => drawState(c, over, i, ...at))};
}

kPictures.lineage = [drawLineage, lineageHeight];
kPictures.candidates = [drawCandidates, 300];
kPictures.front = [drawFront, 320];
