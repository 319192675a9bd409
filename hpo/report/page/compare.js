// Several studies beside each other: the best so far, and the distribution of values.

const compareBy = {by: 'trials'};
const kLines = ['#2f6f4f', '#7b5ea7', '#3b74b9', '#b98a2f', '#4f8f8b', '#a8577e', '#6d7a2b', '#555555'];
const kDashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
const lineStyle = (i) => [kLines[i % kLines.length], kDashes[Math.floor(i / kLines.length) % kDashes.length]];

function legend(c, left) {
  const {pen, color} = c;
  page.meta.studies.forEach((name, i) => {
    const [line, dash] = lineStyle(i), x = left + (i % 4) * 190, y = 10 + Math.floor(i / 4) * 16;
    drawLine(pen, [[x, y], [x + 22, y]], line, 2.5, dash);
    write(pen, name, x + 28, y, 'left', color.ink, 150);
  });
  return 14 + 16 * Math.ceil(page.meta.studies.length / 4);
}

const seriesOf = (name) => page.meta.studies.map((_, i) => page.trial[name + i]);

function drawBests(c) {
  const {meta} = page, places = seriesOf(compareBy.by), bests = seriesOf('best');
  const y = metricAxis(bests.flatMap((one) => [...one]), meta.maximize);
  if (!y) return {note: 'No study has a complete trial.'};
  const last = Math.max(...places.map((one) => (one.length ? one[one.length - 1] : 0)), 1e-9);
  const top = legend(c, 56);
  const {px, py} = frame(c, axis('linear', 0, last), y, {top: top + 8});
  bests.forEach((best, i) => {
    const line = [], [color, dash] = lineStyle(i);
    best.forEach((value, k) => {
      if (line.length) line.push([px(places[i][k]), line[line.length - 1][1]]);
      line.push([px(places[i][k]), py(value)]);
    });
    drawLine(c.pen, line, color, 2, dash);
  });
  return {note: `Best ${meta.metric} of the complete trials so far.`};
}

function drawEdf(c) {
  const {meta} = page, values = seriesOf('values');
  const x = metricAxis(values.flatMap((one) => [...one]), meta.maximize);
  if (!x) return {note: ''};
  const top = legend(c, 56);
  const {px, py} = frame(c, x, axis('linear', 0, 1), {top: top + 8});
  values.forEach((ascending, i) => {
    const line = [], [color, dash] = lineStyle(i);
    ascending.forEach((value, k) => {
      line.push([px(value), py(k / ascending.length)], [px(value), py((k + 1) / ascending.length)]);
    });
    drawLine(c.pen, line, color, 2, dash);
  });
  return {note: `The share of complete trials whose ${meta.metric} is at or below a value.`};
}

kPictures.bests = [drawBests, 320];
kPictures.edf = [drawEdf, 260];
