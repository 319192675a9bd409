// All trials: rows are made as they scroll into view; a filter, a column to sort by, up to two rows
// to compare.

const kRow = 30, kMostTableParameters = 8, kMostPrinted = 200;

// What a column shows of a trial, and what it sorts by.
function columnsOfTable() {
  const {meta, trial} = page;
  const columns = [
    {name: 'trial', text: (i) => String(i), key: (i) => i},
    {name: 'state', text: (i) => kStates[trial.state[i]] + (trial.cause[i] ? ': ' + kCauses[trial.cause[i]] : ''),
     key: (i) => trial.state[i]},
    {name: meta.metric, text: (i) => shown(trial.value[i]), key: (i) => trial.rank[i]},
    {name: meta.unit + 's', text: (i) => String(trial.epochs[i]), key: (i) => trial.epochs[i]}];
  meta.metrics.forEach((one, k) => columns.push({
    name: one.name, text: (i) => shown(trial['m' + k][i]), key: (i) => trial['m' + k][i]}));
  meta.parameters.slice(0, kMostTableParameters).forEach((one, p) => columns.push({
    name: one.name, text: (i) => paramText(p, i) || '–', key: (i) => paramNumber(p, i)}));
  return columns;
}

// `lr<0.01 state=failed adam`: all words hold. A word without a sign stands anywhere in the row.
function matcher(words, columns) {
  const tests = words.trim().split(/\s+/).filter(Boolean).map((word) => {
    const parts = /^([^<>=]+)(<=|>=|=|<|>)(.+)$/.exec(word);
    const column = parts && columns.find((one) => one.name === parts[1] || one.name.endsWith('.' + parts[1]));
    if (!column) return (i) => columns.some((one) => one.text(i).includes(word));
    const [, , sign, wanted] = parts, number = Number(wanted);
    if (sign === '=') return (i) => column.text(i) === wanted || column.text(i).startsWith(wanted + ':') || Number(column.text(i)) === number;
    return (i) => {
      const value = Number(column.text(i));
      return sign === '<' ? value < number : sign === '>' ? value > number : sign === '<=' ? value <= number : value >= number;
    };
  });
  return (i) => tests.every((test) => test(i));
}

class TrialTable {
  constructor(holder) {
    this.columns = columnsOfTable();
    this.sort = {column: 2, down: false};
    this.compared = [];
    holder.textContent = '';
    this.filter = holder.appendChild(make('input'));
    this.filter.placeholder = `filter, such as: state=complete ${page.meta.unit}s>1`;
    this.filter.setAttribute('aria-label', 'Filter trials');
    this.count = holder.appendChild(make('p', 'note'));
    this.box = holder.appendChild(make('div', 'rows'));
    this.box.tabIndex = 0;
    this.box.setAttribute('aria-label', 'All trials');
    this.head = this.box.appendChild(make('div', 'row head'));
    this.space = this.box.appendChild(make('div', 'space'));
    this.detail = holder.appendChild(make('div', 'detail'));
    this.addHeads();
    this.filter.addEventListener('input', () => this.refresh());
    this.box.addEventListener('scroll', () => this.show());
    this.box.addEventListener('keydown', (event) => this.key(event));
    this.refresh();
  }

  addHeads() {
    this.head.textContent = '';
    this.box.style.setProperty('--columns', this.columns.length - 3);
    this.columns.forEach((column, k) => {
      const button = this.head.appendChild(make('button', '', column.name));
      button.title = column.name;
      button.addEventListener('click', () => this.sortBy(k));
    });
  }

  // Other data: the columns may stand in another order.
  renew() {
    const before = this.columns.map((column) => column.name), sorted = before[this.sort.column];
    this.columns = columnsOfTable();
    const names = this.columns.map((column) => column.name);
    if (names.join() !== before.join()) this.addHeads();
    this.sort.column = Math.max(0, names.indexOf(sorted));
    this.refresh(true);
  }

  sortBy(k) {
    this.sort = {column: k, down: this.sort.column === k && !this.sort.down};
    this.refresh();
  }

  isInView() {
    return isInView(this.box);
  }

  // `stays`: where the reader has scrolled to.
  refresh(stays) {
    const holds = this.filter.value.trim() ? matcher(this.filter.value, this.columns) : () => true;
    const {key} = this.columns[this.sort.column], count = page.trial.state.length;
    const all = new Uint32Array(count), keys = new Float64Array(count);
    let length = 0;
    for (let i = 0; i < count; ++i) {
      if (page.picked && !page.picked.has(i) || !holds(i)) continue;
      all[length++] = i;
      keys[i] = key(i);
      if (Number.isNaN(keys[i])) keys[i] = Infinity;
    }
    this.list = all.subarray(0, length).sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
    if (this.sort.down) this.list.reverse();
    this.count.textContent = `${length} of ${count} trials. Click a trial to open it, and a second one to compare the two.`;
    this.space.style.height = this.list.length * kRow + 'px';
    if (!stays) this.box.scrollTop = 0;
    this.show(true);
  }

  // Paper does not scroll.
  print(on) {
    this.most = on ? kMostPrinted : 0;
    const left = this.list.length - kMostPrinted;
    this.space.style.height = (on ? Math.min(this.list.length, kMostPrinted) : this.list.length) * kRow + 'px';
    this.show(true);
    if (on && left > 0) this.space.append(make('p', 'note', `and ${left} more`));
  }

  show(anew) {
    const from = this.most ? 0 : Math.max(0, Math.floor(this.box.scrollTop / kRow) - 8);
    const until = Math.min(this.list.length, this.most || from + Math.ceil(460 / kRow) + 16);
    if (!anew && from === this.from && until === this.until) return;
    this.from = from;
    this.until = until;
    this.space.textContent = '';
    for (let k = from; k < until; ++k) this.space.append(this.row(this.list[k], k));
  }

  row(trial, k) {
    const row = make('div', 'row' + (trial === page.meta.best ? ' winner' : '') +
                                (this.compared.includes(trial) ? ' chosen' : ''));
    row.style.top = k * kRow + 'px';
    for (const column of this.columns) row.append(make('span', '', column.text(trial)));
    row.addEventListener('pointerenter', () => hover(trial));
    row.addEventListener('click', () => this.open(trial));
    return row;
  }

  open(trial) {
    const at = this.compared.indexOf(trial);
    if (at >= 0) this.compared.splice(at, 1);
    else this.compared = [...this.compared.slice(-1), trial];
    this.show(true);
    showTrials(this.detail, this.compared);
  }

  key(event) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step || this.list.length === 0) return;
    event.preventDefault();
    const at = this.list.indexOf(this.compared[this.compared.length - 1]);
    const next = Math.min(Math.max(at + step, 0), this.list.length - 1);
    this.compared = [];
    this.box.scrollTop = Math.max(0, next * kRow - this.box.clientHeight / 2);
    this.open(this.list[next]);
    hover(this.list[next]);
  }
}
