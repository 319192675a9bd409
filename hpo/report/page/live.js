// Follows the study while it runs. Changes of trials and reports come as events and are drawn at
// once; sentences and tables come as a newer page from time to time.

const kPoll = 2000, kRest = 4, kTableRest = 500;

// `reports`: what came and is not in the columns of the curves yet, as [trial, step, value], and the
// newest [step, value] of each of their trials. `came`: what came and is not on the pictures yet,
// `drawing`: what came while a picture is drawn anew. Their reports are [trial, [step, value] of the
// one before, [step, value]].
const nothing = () => ({trials: [], reports: []});
const following = {place: json('live'), position: 0, reports: [], newest: new Map(), came: nothing(), drawing: null,
                   dirty: new Set(), tableDue: 0, frame: 0};

const kEmpty = {state: 0, cause: 0, tenth: 0, message: 255, began: kNone, ended: kNone, parent: kNone, rank: kNone,
                value: NaN, seconds: NaN, violation: NaN};

// The value that a trial has in a column before anything is known of it.
function emptyOf(name, column) {
  if (name in kEmpty) return kEmpty[name];
  if (!/^[pm]\d+$/.test(name)) return 0;
  return column instanceof Float32Array ? NaN : 255;
}

// Columns for so many trials. They grow by half, so that a trial more costs nothing most times.
function growColumns(count) {
  for (const [name, column] of Object.entries(page.trial)) {
    if (/^u\d/.test(name) || column.length >= count) continue;
    const from = column.length;
    let room = column.room;
    if (!room || room.length < count) {
      room = new column.constructor(Math.ceil(count * 1.5));
      room.set(column);
    }
    page.trial[name] = room.subarray(0, count).fill(emptyOf(name, column), from);
    page.trial[name].room = room;
  }
}

function takeParams(params, trial) {
  page.meta.parameters.forEach((parameter, p) => {
    const column = page.trial['p' + p], given = params[parameter.name];
    if (!column) return;
    if (!given) return void (column[trial] = column instanceof Float32Array ? NaN : 255);
    if (parameter.number) return void (column[trial] = given[0] ?? NaN);
    let at = parameter.labels.indexOf(given[1]);
    if (at < 0 && parameter.labels.length < 254) at = parameter.labels.push(given[1]) - 1;
    column[trial] = at < 0 ? (column instanceof Float32Array ? NaN : 255) : at;
  });
}

function takeMessage(text, trial) {
  if (!page.trial.message || text === undefined) return;
  let at = page.meta.messages.indexOf(text);
  if (at < 0 && page.meta.messages.length < 100) at = page.meta.messages.push(text) - 1;
  page.trial.message[trial] = at < 0 ? 255 : at;
}

const ticksOfMoment = (moment) => (moment && following.place.origin
  ? Math.round((moment - following.place.origin) * 1e-6 / page.meta.tick) : kNone);

function takeTrial(row) {
  const columns = page.trial, trial = row.trial;
  if (trial >= columns.state.length) growColumns(trial + 1);
  for (const name of ['state', 'cause', 'step', 'epochs']) columns[name][trial] = row[name];
  for (const name of ['value', 'flops']) columns[name][trial] = row[name] ?? NaN;
  columns.parent[trial] = row.parent ?? kNone;
  if (columns.seconds) columns.seconds[trial] = row.seconds;
  if (columns.violation) columns.violation[trial] = row.violation ?? NaN;
  if (columns.ended && row.ended) {
    columns.began[trial] = ticksOfMoment(row.began);
    columns.ended[trial] = ticksOfMoment(row.ended);
  }
  row.metrics.forEach((value, k) => columns['m' + k] && (columns['m' + k][trial] = value ?? NaN));
  takeParams(row.params, trial);
  takeMessage(row.message, trial);
}

function takeReport(trial, report) {
  const {curve} = page, {newest} = following, end = curve && trial + 1 < curve.first.length ? curve.first[trial + 1] : 0;
  const isKnown = end > 0 && end > curve.first[trial];
  following.came.reports.push([trial, newest.get(trial) || (isKnown ? [curve.step[end - 1], curve.value[end - 1]] : null), report]);
  newest.set(trial, report);
  following.reports.push([trial, ...report]);
}

// Events that a newer page has already are left out. `kept`: all that came behind the newest page.
// False where something is missing before them.
function take(changes) {
  if (changes.position <= following.position) return true;
  if (changes.from > following.position) return false;
  following.kept.push(changes);
  for (const row of changes.trials) {
    takeTrial(row);
    following.came.trials.push(row.trial);
  }
  const {reports} = changes;
  for (let i = 0; i < reports.length; i += 4)
    if (reports[i] > following.position) takeReport(reports[i + 1], [reports[i + 2], reports[i + 3] ?? NaN]);
  following.position = changes.position;
  // Nobody looks: all pictures are drawn anew when somebody does.
  if (document.hidden) following.came = nothing();
  page.meta.best = bestNow();
  touch();
  return true;
}

// The best trial by its value. The next page says whom the search would take.
function bestNow() {
  const counts = contenders(), {value} = page.trial;
  let best = null;
  for (let i = 0; i < value.length; ++i)
    if (counts(i) && (best === null || isBetter(value[i], value[best]))) best = i;
  return best ?? page.meta.best;
}

// Puts the reports that came behind those of their trials. What lies between two of these trials is
// moved as a whole.
function mergeReports() {
  const came = following.reports.sort((a, b) => a[0] - b[0]);
  if (came.length === 0) return;
  following.reports = [];
  following.newest.clear();
  const count = page.trial.state.length, old = page.curve || openCurves({length: [], step: [], value: []});
  const known = old.first.length - 1, ends = (trial) => old.first[Math.min(trial, known)];
  const first = new Uint32Array(count + 1), length = ends(known) + came.length;
  const step = new Uint32Array(length), value = new Float32Array(length);
  let from = 0, more = 0;
  const moveUntil = (end) => {
    step.set(old.step.subarray(from, end), from + more);
    value.set(old.value.subarray(from, end), from + more);
    from = end;
  };
  for (let trial = 0, next = 0; trial < count; ++trial) {
    for (; next < came.length && came[next][0] === trial; ++next, ++more) {
      moveUntil(ends(trial + 1));
      [, step[from + more], value[from + more]] = came[next];
    }
    first[trial + 1] = ends(trial + 1) + more;
  }
  moveUntil(ends(known));
  page.curve = {first, step, value};
}

// The line above the page: counted here, so that it is as new as the pictures.
function showLine() {
  const counts = [0, 0, 0, 0, 0], {place} = following, {best, metric} = page.meta;
  for (const state of page.trial.state) ++counts[state];
  const words = ['waiting', 'running', 'complete', 'stopped', 'failed'];
  const parts = [2, 3, 4, 1, 0].filter((k) => counts[k] || k === kComplete).map((k) => `${counts[k]} ${words[k]}`);
  const line = following.line || addLine();
  line.state.textContent = place.running ? 'Running' : 'Not running';
  line.counts.textContent = parts.join(', ') + (place.limit ? ` of ${place.limit} trials` : '');
  line.best.textContent = best === null ? '' : `best: trial ${best}, ${metric} ${shown(page.trial.value[best])}`;
  if (line.stop) line.stop.hidden = !place.running;
}

function addLine() {
  const holder = element('live'), line = {};
  line.state = holder.appendChild(make('b'));
  line.counts = holder.appendChild(make('span', 'counts'));
  line.best = holder.appendChild(make('span', 'best'));
  line.link = holder.appendChild(make('span', 'note link'));
  if (following.place.stop) line.stop = holder.appendChild(stopButton());
  return following.line = line;
}

function stopButton() {
  const button = make('button', 'stop', 'Stop the study');
  button.addEventListener('click', async () => {
    if (!confirm('Stop the study? The same command continues it.')) return;
    button.disabled = true;
    const answer = await fetch(following.place.stop, {method: 'POST'}).catch(() => null);
    button.textContent = answer && answer.ok ? 'It was asked to stop' : 'It could not be stopped';
  });
  return button;
}

function addTo(chart, {trials, reports}) {
  const {add, addReport} = chart.shown;
  if (add) for (const trial of trials) add(chart.top, trial);
  if (addReport) for (const report of reports) addReport(chart.top, ...report);
}

// Puts what came onto the pictures that can be seen, as they are.
function addToPictures() {
  const {came, drawing} = following;
  for (const chart of page.charts.values()) if (chart.painted && chart.isInView()) addTo(chart, came);
  if (drawing) {
    drawing.trials.push(...came.trials);
    drawing.reports.push(...came.reports);
  }
  following.came = nothing();
}

// Draws anew what changed and can be seen, a picture after another and each a little at a time. It
// rests behind its drawing for a multiple of the time that it took.
async function drawNext() {
  if (following.drawing) return;
  let later = Infinity, next = null;
  const now = performance.now();
  for (const chart of following.dirty) {
    if (!chart.isInView()) continue;
    later = Math.min(later, chart.due || 0);
    if (!next && (chart.due || 0) <= now) next = chart;
  }
  clearTimeout(following.timer);
  if (!next) return void (later < Infinity && (following.timer = setTimeout(drawNext, later - now)));
  following.dirty.delete(next);
  following.drawing = nothing();
  if (next.figure.dataset.chart === 'curves') mergeReports();
  try {
    await next.paintSlowly();
    if (next.painted) addTo(next, following.drawing);
    if (page.hovered !== null) next.light(page.hovered);
  } finally {
    next.due = performance.now() + kRest * (performance.now() - now);
    following.drawing = null;
  }
  drawNext();
}

function drawFrame() {
  following.frame = 0;
  showLine();
  addToPictures();
  drawNext();
  showTable();
  document.documentElement.dataset.position = following.position;
}

// The table is sorted anew while it can be seen, and rests, too.
function showTable() {
  const {tableDue} = following, now = performance.now();
  if (!page.table || !tableDue || !page.table.isInView()) return;
  clearTimeout(following.tableTimer);
  if (now < tableDue) return void (following.tableTimer = setTimeout(askFrame, tableDue - now));
  page.table.refresh(true);
  following.tableDue = 0;
  following.tableRest = Math.max(kTableRest, kRest * (performance.now() - now));
}

function askFrame() {
  if (!following.frame) following.frame = requestAnimationFrame(drawFrame);
}

// Everything that shows trials is to be drawn again.
function touch() {
  for (const chart of page.charts.values()) following.dirty.add(chart);
  if (page.table && !following.tableDue) following.tableDue = performance.now() + (following.tableRest || kTableRest);
  askFrame();
}

// A newer page: sentences, tables, and all data at once.
async function renew() {
  if (following.renewing) return void (following.again = true);
  following.renewing = true;
  try {
    const newer = await fetched(location.pathname);
    const trial = await columnsOf('trial', newer), curve = await columnsOf('curve', newer);
    const place = json('live', newer), kept = following.kept;
    following.kept = [];
    const names = (meta) => meta.parameters.map((one) => one.name).join();
    const before = names(page.meta);
    page.meta = json('page', newer);
    if (names(page.meta) !== before) unbrush();
    page.trial = trial;
    page.curve = curve ? openCurves(curve) : null;
    following.place = place;
    following.position = place.position;
    following.reports = [];
    following.newest.clear();
    if (!kept.every(take)) connect();
    for (const tag of ['nav', 'main']) morph(document.querySelector(tag), newer.querySelector(tag));
    document.title = newer.title;
    showNewest();
  } catch {
    // The server is gone, or the study is: the stream says so, too.
  } finally {
    following.renewing = false;
    if (following.again) {
      following.again = false;
      renew();
    }
  }
}

function showNewest() {
  addCopyButtons();
  addCharts();
  for (const [name, chart] of page.charts) if (!chart.figure.isConnected) page.charts.delete(name);
  // A drawing that is under way is of other data.
  for (const chart of page.charts.values()) chart.due = chart.steps = 0;
  if (page.table) page.table.renew();
  else if (element('table') && page.meta.parameters) page.table = new TrialTable(element('table'));
  document.documentElement.dataset.pages = Number(document.documentElement.dataset.pages || 0) + 1;
  touch();
}

// Where the browser cannot have a stream, the page is asked for again and again.
function poll() {
  renew().then(() => setTimeout(poll, kPoll));
}

function say(text) {
  showLine();
  following.line.link.textContent = text;
}

function connect() {
  if (following.source) following.source.close();
  const source = new EventSource(`${following.place.events}?from=${following.position}`);
  following.source = source;
  source.addEventListener('open', () => say(''));
  source.addEventListener('changes', (event) => take(JSON.parse(event.data)) || connect());
  source.addEventListener('page', () => renew());
  source.addEventListener('error', () => {
    if (source.readyState !== EventSource.CLOSED) return say('The server does not answer; the page goes on when it does.');
    say('');
    setTimeout(poll, kPoll);
  });
}

page.goLive = () => {
  following.position = following.place.position;
  following.kept = [];
  showLine();
  document.documentElement.dataset.position = following.position;
  window.addEventListener('scroll', askFrame, {passive: true});
  connect();
};
