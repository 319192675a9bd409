// What is drawn where, and when.

// Those in view now, the others one by one: what the reader does comes between.
async function paintAll(charts) {
  const far = charts.filter((chart) => !chart.isInView() || chart.paint());
  for (const chart of far) {
    await pause();
    await chart.paintSlowly();
  }
}

function addCharts() {
  for (const figure of document.querySelectorAll('figure.chart:empty')) {
    const [draw, height] = kPictures[figure.dataset.chart];
    const chart = new Chart(figure, draw, height);
    if (figure.dataset.chart === 'history') {
      const names = [['trial', 'by trial'], ['epochs', 'by ' + page.meta.unit + 's']];
      if (page.trial.ended) names.push(['time', 'by time']);
      choices(chart, names, historyBy);
    }
    if (figure.dataset.chart === 'parallel') brushable(chart);
    if (figure.dataset.chart === 'bests')
      choices(chart, [['trials', 'by trials'], ['epochs', 'by ' + page.meta.unit + 's'], ['seconds', 'by time of tasks']], compareBy);
  }
}

// A button that copies the lines beside it.
function addCopyButtons() {
  for (const lines of document.querySelectorAll('pre.copy')) {
    if (lines.previousElementSibling?.matches('button.copy')) continue;
    const button = make('button', 'copy', 'copy');
    button.addEventListener('click', () => {
      getSelection().selectAllChildren(lines);
      document.execCommand('copy');
      button.textContent = 'copied';
    });
    lines.before(button);
  }
}

function keys(event) {
  if (event.target.tagName === 'INPUT' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '/' && page.table) {
    event.preventDefault();
    page.table.filter.focus();
  }
  if (event.key === 'Escape') hover(null);
}

function repaintWhenChanged() {
  let width = window.innerWidth;
  const again = () => paintAll([...page.charts.values()].filter((chart) => chart.painted));
  window.addEventListener('resize', () => {
    if (window.innerWidth !== width) again();
    width = window.innerWidth;
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  const printed = (on) => {
    document.documentElement.classList.toggle('print', on);
    for (const chart of page.charts.values()) chart.paint();
    if (page.table) page.table.print(on);
  };
  window.addEventListener('beforeprint', () => printed(true));
  window.addEventListener('afterprint', () => printed(false));
}

async function start() {
  addCopyButtons();
  page.trial = await columnsOf('trial');
  if (!page.trial) return;
  addCharts();
  if (element('table') && page.meta.parameters) page.table = new TrialTable(element('table'));
  const charts = [...page.charts.values()];
  const rest = paintAll(charts.filter((chart) => chart.figure.dataset.chart !== 'curves'));
  document.addEventListener('keydown', keys);
  repaintWhenChanged();
  page.firstScreen = performance.now();
  const [columns] = await Promise.all([columnsOf('curve'), rest]);
  if (columns) page.curve = openCurves(columns);
  await paintAll(charts.filter((chart) => chart.figure.dataset.chart === 'curves'));
  page.ready = performance.now();
  if (page.goLive) page.goLive();
  document.documentElement.dataset.ready = '1';
}

// For tests: what a picture's marks are.
window.trellis = {page, hover, marks: (name) => page.charts.get(name).shown.marks};
start();
