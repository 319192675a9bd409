// When trials ran, and how busy devices were.

// A lane for each trial, used again when its trial has ended.
function lanes() {
  const {trial} = page;
  const order = [...trial.state.keys()].filter((i) => trial.began[i] !== kNone && trial.ended[i] !== kNone)
      .sort((a, b) => trial.began[a] - trial.began[b]);
  const free = [], bars = [];
  for (const i of order) {
    let lane = free.findIndex((end) => end <= trial.began[i]);
    if (lane < 0) lane = free.push(0) - 1;
    free[lane] = trial.ended[i];
    bars.push([i, lane]);
  }
  return {bars, count: free.length};
}

// Seconds, minutes or hours, as fits the whole, below an axis.
function writeClock(c, whole, px) {
  const [unit, name] = whole > 10800 ? [3600, ' h'] : whole > 300 ? [60, ' min'] : [1, ' s'];
  for (const tick of axis('linear', 0, whole / unit).ticks(Math.floor(c.width / 90)))
    write(c.pen, shown(tick) + name, px(tick * unit), c.height - 10, 'center', c.color.soft);
}

const shade = (color, state) =>
  state === kComplete ? color.data : state === kFailed ? color.failed : color.stopped;

function* drawTimeline(c) {
  const {pen, width, height, color} = c, {trial, meta} = page;
  const {bars, count} = lanes();
  if (count === 0) return {note: ''};
  yield;
  let last = 1;
  for (const [i] of bars) last = Math.max(last, trial.ended[i]);
  const left = 18, right = 18, bottom = 24, marks = new Marks(bars.length), lane = (height - bottom) / count;
  const x = axis('linear', 0, last * meta.tick);
  const px = (ticks) => left + x.at(ticks * meta.tick) * (width - left - right);
  for (const [k, [i, row]] of bars.entries()) {
    if (k % 500 === 0) yield flushed(pen);
    pen.fillStyle = i === meta.best ? color.winner : shade(color, trial.state[i]);
    const length = Math.max(px(trial.ended[i]) - px(trial.began[i]) - 0.5, 0.8);
    pen.fillRect(px(trial.began[i]), row * lane + lane * 0.1, length, Math.max(lane * 0.8, 0.7));
    marks.add(i, px(trial.began[i]) + length / 2, row * lane + lane / 2);
  }
  writeClock(c, last * meta.tick, (seconds) => px(seconds / meta.tick));
  const rows = new Map(bars);
  return {marks: marks.cut(),
          note: 'A bar is the last attempt of a trial: complete green, stopped grey, failed red, the winner orange.',
          mark: (over, i) => {
            if (rows.has(i))
              ring(over, px((trial.began[i] + trial.ended[i]) / 2), rows.get(i) * lane + lane / 2, color.ink);
          }};
}

const timelineHeight = () => 34 + Math.min(260, Math.max(24, 12 * lanes().count));

// A row a worker: how much of each moment it was busy.
function drawDevices(c) {
  const {pen, width, height, color} = c, sessions = page.meta.sessions;
  const rows = Math.max(...sessions.map((one) => one.workers.length));
  const end = Math.max(...sessions.map((one) => one.began + one.seconds));
  const left = 64, right = 12, bottom = 24, row = (height - bottom) / rows;
  const x = axis('linear', 0, end);
  const px = (seconds) => left + x.at(seconds) * (width - left - right);
  pen.fillStyle = color.data;
  for (const session of sessions) {
    session.workers.forEach((worker, k) => {
      // As the table names them.
      write(pen, worker.replace('cpu', 'core').replace('cuda', 'gpu'), 2, (k + 0.5) * row, 'left', color.soft, left - 8);
      const shares = page.trial[`u${session.id}_${k}`];
      pen.fillStyle = color.data;
      for (let bucket = 0; bucket < shares.length; ++bucket) {
        const from = session.began + bucket * session.width;
        const until = Math.min(from + session.width, session.began + session.seconds);
        pen.globalAlpha = shares[bucket] / 255;
        pen.fillRect(px(from), k * row + 1, Math.max(px(until) - px(from), 0.5), Math.max(row - 2, 1));
      }
      pen.globalAlpha = 1;
      pen.strokeStyle = color.line;
      pen.strokeRect(px(session.began), k * row + 1, px(session.began + session.seconds) - px(session.began), Math.max(row - 2, 1));
    });
  }
  writeClock(c, end, px);
  return {note: 'The fuller the color, the busier.'};
}

const devicesHeight = () => 30 + Math.min(400, 22 * Math.max(...page.meta.sessions.map((one) => one.workers.length)));

kPictures.timeline = [drawTimeline, timelineHeight];
kPictures.devices = [drawDevices, devicesHeight];
