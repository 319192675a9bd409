// Axes: which one fits some numbers, where values lie on it, and its ticks.

const sorted = (values) => Float64Array.from(values).filter(Number.isFinite).sort();
const quantile = (ascending, share) => ascending[Math.round(share * (ascending.length - 1))];

// Shares near 1 are told apart by how far they are from it, losses by their size.
function kindOf(ascending, maximize) {
  const low = quantile(ascending, 0.05), high = ascending[ascending.length - 1];
  if (maximize && ascending[0] >= 0 && high <= 1 && quantile(ascending, 0.95) > 0.8) return 'share';
  if (!maximize && ascending[0] > 0 && quantile(ascending, 0.95) > 3 * low) return 'log';
  return 'linear';
}

// An axis between two values. `at`: 0 at `low`, 1 at `high`.
function axis(kind, low, high, nearest = 1e-4) {
  const turned = kind === 'log'     ? (v) => Math.log10(v)
                 : kind === 'share' ? (v) => -Math.log10(Math.max(1 - v, nearest))
                                    : (v) => v;
  let from = turned(low), to = turned(high);
  if (!(to > from)) {
    const margin = Math.abs(from) * 0.05 || 0.5;
    from -= margin;
    to += margin;
  }
  const at = (v) => (turned(v) - from) / (to - from);
  return {kind, low, high, at, ticks: (count) => ticksOf(kind, low, high, at, count)};
}

// Of what is counted: half a trial is none.
function wholeAxis(kind, low, high) {
  const made = axis(kind, low, high);
  return {...made, ticks: (count) => made.ticks(count).filter(Number.isInteger)};
}

// Where quantiles are read off: of many values some, and the ends.
const kSample = 20000;
function sampled(values) {
  const stride = Math.max(1, Math.floor(values.length / kSample)), out = [];
  let low = Infinity, high = -Infinity;
  for (let i = 0; i < values.length; ++i) {
    const value = values[i];
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
    if (i % stride === 0) out.push(value);
  }
  if (low <= high) out.push(low, high);
  return Float64Array.from(out).sort();
}

// The axis of a metric: from the worst twentieth to the best; what lies outside stands on the edge.
// `other`: another value that it is to have, unless that is among the worst.
function metricAxis(values, maximize, other = null) {
  const all = sampled(values);
  if (all.length === 0) return null;
  const kind = kindOf(all, maximize);
  let low = maximize ? quantile(all, 0.05) : all[0], high = maximize ? all[all.length - 1] : quantile(all, 0.95);
  if (other !== null && (maximize || all[0] === high)) high = Math.max(high, other);
  if (other !== null && (!maximize || all[0] === all[all.length - 1])) low = Math.min(low, other);
  let below = 1, outside = 0;
  for (let i = 0; i < values.length; ++i) {
    const value = values[i];
    if (value < 1 && 1 - value < below) below = 1 - value;
    if (value < low || value > high) ++outside;
  }
  const made = axis(kind, low, high, Math.max(below / 2, 1e-7));
  made.outside = outside;
  return made;
}

function candidatesOf(kind, low, high, count) {
  const out = [];
  if (kind === 'share') {
    for (let away = 1; away > 1e-7; away /= 10)
      for (const step of [1, 0.7, 0.5, 0.3, 0.2]) out.push(+(1 - away * step).toFixed(9));
    out.push(1);
  } else if (kind === 'log') {
    const decades = Math.log10(high / low);
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
      for (const step of 3 * decades > count ? [1] : [1, 2, 5]) out.push(+(step * 10 ** power).toPrecision(12));
  }
  return out;
}

function linearTicks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  const out = [];
  for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12) && out.length < 50; ++k)
    out.push(+(k * step).toPrecision(12));
  return out;
}

// At most `count` and never close to each other.
function ticksOf(kind, low, high, at, count) {
  if (!(high > low)) return [low];
  const all = kind === 'linear' ? linearTicks(low, high, count) : candidatesOf(kind, low, high, count);
  const inside = all.filter((v) => at(v) > -1e-9 && at(v) < 1 + 1e-9).sort((a, b) => a - b);
  const out = [];
  for (const value of inside)
    if (out.length === 0 || at(value) - at(out[out.length - 1]) > 0.7 / count) out.push(value);
  return out.length > 1 ? out : [low, high];
}

// Of a parameter.
function parameterAxis(p) {
  const parameter = page.meta.parameters[p];
  if (!parameter.number) {
    const last = Math.max(parameter.labels.length - 1, 1);
    return {kind: 'words', low: 0, high: last, at: (v) => (v + 0.5) / (last + 1),
            ticks: () => parameter.labels.map((_, i) => i)};
  }
  return axis(parameter.log && parameter.min > 0 ? 'log' : 'linear', parameter.min, parameter.max);
}

const tickText = (p, value) =>
  page.meta.parameters[p].number ? shown(value) : page.meta.parameters[p].labels[value];

const isDark = () =>
  matchMedia('(prefers-color-scheme: dark)').matches && !document.documentElement.classList.contains('print');

// For ranks, the first is 0: from what stands out most to what does least.
const kRanks = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [170, 220, 50]];
function rankColor(share, dark) {
  const place = Math.min(Math.max(dark ? 1 - 0.7 * share : share, 0), 1) * (kRanks.length - 1);
  const below = Math.min(Math.floor(place), kRanks.length - 2), part = place - below;
  const mixed = kRanks[below].map((c, i) => Math.round(c + part * (kRanks[below + 1][i] - c)));
  return `rgb(${mixed.join(',')})`;
}
