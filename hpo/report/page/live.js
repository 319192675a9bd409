// Follows the study while it runs. Changes of trials and reports come as events and are drawn at
// once; sentences and tables come as a newer page from time to time.

const kPoll = 2000, kFrame = 12, kRest = 10, kTableRest = 500;

// What came and is not in the columns of the curves yet, as [trial, step, value].
const following = {place: json('live'), position: 0, reports: [], dirty: new Set(), tableDue: 0, asked: 0, frame: 0};

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

// Events that a newer page has already are left out. `kept`: all that came behind the newest page.
// False where something is missing before them.
function take(changes) {
  if (changes.position <= following.position) return true;
  if (changes.from > following.position) return false;
  following.kept.push(changes);
  for (const row of changes.trials) takeTrial(row);
  const {reports} = changes;
  for (let i = 0; i < reports.length; i += 4)
    if (reports[i] > following.position) following.reports.push([reports[i + 1], reports[i + 2], reports[i + 3] ?? NaN]);
  following.position = changes.position;
  page.meta.best = bestNow();
  touch();
  return true;
}

// The best complete trial that breaks no bound. The next page says whom the search would take.
function bestNow() {
  const steps = bestSoFar(placesOf('trial'));
  return steps.length ? steps[steps.length - 1][0] : page.meta.best;
}

// Puts the reports that came behind those of their trials.
function mergeReports() {
  const came = following.reports;
  if (came.length === 0) return;
  following.reports = [];
  const count = page.trial.state.length, old = page.curve || openCurves({length: [], step: [], value: []});
  const of = (trial) => (trial + 1 < old.first.length ? old.first[trial + 1] - old.first[trial] : 0);
  const first = new Uint32Array(count + 1), next = new Uint32Array(count);
  for (const [trial] of came) if (trial < count) ++first[trial + 1];
  for (let i = 0; i < count; ++i) {
    first[i + 1] += first[i] + of(i);
    next[i] = first[i] + of(i);
  }
  const step = new Uint32Array(first[count]), value = new Float32Array(first[count]);
  for (let i = 0; i + 1 < old.first.length; ++i) {
    step.set(old.step.subarray(old.first[i], old.first[i + 1]), first[i]);
    value.set(old.value.subarray(old.first[i], old.first[i + 1]), first[i]);
  }
  for (const [trial, at, reported] of came) {
    if (trial >= count) continue;
    step[next[trial]] = at;
    value[next[trial]++] = reported;
  }
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

const isInView = (chart) => {
  const box = chart.figure.getBoundingClientRect();
  return box.top < window.innerHeight && box.bottom > 0;
};

function paintNow(chart, from) {
  chart.paint();
  if (page.hovered !== null) chart.light(page.hovered);
  chart.due = performance.now() + kRest * (performance.now() - from);
}

// Curves are counted a little at a time, and drawn when all are.
async function paintSlowly(chart) {
  mergeReports();
  if (!page.curve) return;
  chart.due = Infinity;
  const steps = kPictures[chart.figure.dataset.chart][2](chart.unseen());
  const begun = performance.now();
  for (let from = begun, step = steps.next(); ; step = steps.next()) {
    if (step.done) {
      chart.counted = step.value;
      break;
    }
    if (performance.now() - from < kFrame) continue;
    await new Promise((done) => setTimeout(done));
    from = performance.now();
  }
  paintNow(chart, begun);
  if (following.dirty.has(chart)) askFrame();
}

// Draws what changed and can be seen, as much as fits into a frame. Each picture rests behind its
// drawing for a multiple of the time that it took.
function drawFrame() {
  following.frame = 0;
  const begun = performance.now();
  showLine();
  let later = Infinity;
  for (const chart of following.dirty) {
    if (!isInView(chart)) continue;
    const from = performance.now();
    if (from - begun > kFrame || (chart.due || 0) > from) {
      later = Math.min(later, Math.max(chart.due || 0, from));
      continue;
    }
    following.dirty.delete(chart);
    if (kPictures[chart.figure.dataset.chart][2]) paintSlowly(chart);
    else paintNow(chart, from);
  }
  if (page.table && following.tableDue > 0) {
    const now = performance.now();
    if (now >= following.tableDue) showTable(now);
    else later = Math.min(later, following.tableDue);
  }
  window.trellis.drawn = following.position;
  document.documentElement.dataset.position = following.position;
  if (later < Infinity) setTimeout(askFrame, Math.max(0, later - performance.now()));
}

function showTable(begun) {
  page.table.refresh(true);
  following.tableDue = 0;
  following.tableRest = Math.max(kTableRest, 20 * (performance.now() - begun));
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
  for (const chart of page.charts.values()) chart.due = 0;
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
  window.addEventListener('scroll', () => following.dirty.size && askFrame(), {passive: true});
  connect();
};
