// The page's data: JSON, and columns of numbers as hpo/report/pack.h writes them.

const element = (id) => document.getElementById(id);
const json = (id, from = document) => {
  const holder = from.getElementById(id + '-data');
  return holder ? JSON.parse(holder.textContent) : null;
};

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The bytes of a column stand by their place in the number.
function wordsOf(bytes, at, length) {
  const words = new Uint32Array(length);
  for (let k = 0; k < 4; ++k)
    for (let i = 0, from = at + k * length; i < length; ++i) words[i] |= bytes[from + i] << (8 * k);
  return words;
}

async function columnsOf(id, from = document) {
  const names = json(id + '-names', from);
  if (!names) return null;
  const holder = from.getElementById(id + '-columns');
  const bytes = await inflate(bytesOf(holder.textContent));
  holder.textContent = '';
  const columns = {};
  let at = 0;
  for (const [name, type, length] of names) {
    if (type === 'u1') columns[name] = bytes.subarray(at, at + length);
    else {
      const words = wordsOf(bytes, at, length);
      columns[name] = type === 'f4' ? new Float32Array(words.buffer) : words;
    }
    at += length * (type === 'u1' ? 1 : 4);
  }
  return columns;
}

const kNone = 0xffffffff;
const kStates = ['waiting', 'running', 'complete', 'stopped', 'failed'];
const kCauses = ['', 'error', 'diverged', 'timeout', 'out_of_memory', 'killed', 'lost'];
const kComplete = 2, kStopped = 3, kFailed = 4;

// Everything that charts and table look at. `trial`: columns by name; `curve`: the same of all
// reports, with `first`, once they are read.
const page = {meta: json('page'), trial: null, curve: null, charts: new Map(), picked: null};

// The trials' curves: where each begins, and steps in place of their differences.
function openCurves(columns) {
  const {length, step} = columns;
  const first = new Uint32Array(length.length + 1);
  for (let i = 0; i < length.length; ++i) first[i + 1] = first[i] + length[i];
  for (let i = 0; i < length.length; ++i)
    for (let k = first[i] + 1; k < first[i + 1]; ++k) step[k] += step[k - 1];
  return {first, step, value: columns.value};
}

// Four digits, as the words of the page have.
function shown(value) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-4 || size >= 1e6) ? value.toExponential(2).replace('e+', 'e')
                                                    : String(+value.toPrecision(4));
}

// A trial's value of parameter `p`; an empty text where it does not have it.
function paramText(p, trial) {
  const parameter = page.meta.parameters[p], value = page.trial['p' + p][trial];
  if (parameter.number || parameter.labels.length > 255)
    return Number.isNaN(value) ? '' : parameter.number ? shown(value) : parameter.labels[value];
  return value === 255 ? '' : parameter.labels[value];
}

// The same as a number for axes: the place of a word; NaN where the trial does not have it.
function paramNumber(p, trial) {
  const column = page.trial['p' + p], value = column[trial];
  return column instanceof Uint8Array && value === 255 ? NaN : value;
}

// Those of all trials.
function paramNumbers(p) {
  const column = page.trial['p' + p];
  return column instanceof Uint8Array ? Float32Array.from(column, (value) => (value === 255 ? NaN : value)) : column;
}

function make(tag, kind, text) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  return made;
}
