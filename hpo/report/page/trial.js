// One trial in full, or what differs between two.

const kCurve = {width: 420, height: 170};

function pairsOf(trial) {
  const {meta, trial: all} = page, pairs = [];
  pairs.push(['state', kStates[all.state[trial]] + (all.cause[trial] ? ': ' + kCauses[all.cause[trial]] : '')]);
  pairs.push([meta.metric, shown(all.value[trial])]);
  meta.metrics.forEach((one, k) => pairs.push([one.name, shown(all['m' + k][trial])]));
  pairs.push([meta.unit + 's', String(all.epochs[trial])]);
  if (all.flops[trial] > 0) pairs.push(['FLOPs a row', shown(all.flops[trial])]);
  if (all.seconds) pairs.push(['seconds of tasks', shown(all.seconds[trial])]);
  if (all.parent[trial] !== kNone) pairs.push(['network from trial', String(all.parent[trial])]);
  meta.parameters.forEach((one, p) => {
    const text = paramText(p, trial);
    if (text !== '') pairs.push([one.name, text]);
  });
  if (all.message && all.message[trial] !== 255) pairs.push(['message', meta.messages[all.message[trial]]]);
  return pairs;
}

function pairsTable(trials) {
  const table = make('table'), names = [], values = trials.map((trial) => new Map(pairsOf(trial)));
  for (const one of values) for (const name of one.keys()) if (!names.includes(name)) names.push(name);
  const head = table.insertRow();
  head.append(make('th', 'n', ''), ...trials.map((trial) => make('th', '', 'trial ' + trial)));
  for (const name of names) {
    const texts = values.map((one) => one.get(name) ?? '–');
    if (trials.length > 1 && new Set(texts).size === 1) continue;
    const row = table.insertRow();
    row.append(make('th', 'n', name), ...texts.map((text) => make('td', '', text)));
  }
  return table;
}

// Their curves over each other.
function miniCurves(trials) {
  const canvas = make('canvas');
  const pen = sized(canvas, kCurve.width, kCurve.height);
  const {first, step, value} = page.curve, points = [], steps = [];
  for (const trial of trials)
    for (let k = first[trial]; k < first[trial + 1]; ++k) {
      points.push(value[k]);
      steps.push(step[k]);
    }
  const y = metricAxis(points, page.meta.maximize);
  if (!y || points.length <= trials.length) return null;
  const all = sorted(points);
  const whole = axis(y.kind, all[0], all[all.length - 1], 1e-7);
  const c = {pen, ...kCurve, color: colors()};
  const {px, py} = frame(c, axis('linear', Math.min(...steps), Math.max(...steps)), whole);
  trials.forEach((trial, i) => drawLine(pen, curvePoints(trial, px, py), i ? c.color.data : c.color.winner, 2, i ? [5, 3] : []));
  return canvas;
}

function showTrials(holder, trials) {
  holder.textContent = '';
  if (trials.length === 0) return;
  holder.append(make('h3', '', trials.length === 1 ? 'Trial ' + trials[0]
                                                   : `What differs between trials ${trials[0]} and ${trials[1]}`));
  const picture = page.curve ? miniCurves(trials) : null;
  if (picture) holder.append(picture);
  holder.append(pairsTable(trials));
}

// A click on a mark of a picture opens its trial in the table.
function openTrial(trial) {
  if (!page.table) return;
  page.table.open(trial);
  page.table.detail.scrollIntoView({block: 'nearest'});
}
