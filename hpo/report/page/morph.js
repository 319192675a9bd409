// Makes what is shown equal to what a newer page says, and leaves everything else as it is: where
// the reader has scrolled to, what is selected or open, pictures that are drawn.

// The page as its server sends it now. A document made in this way runs no scripts.
async function fetched(path) {
  const answer = await fetch(path, {cache: 'no-store'});
  if (!answer.ok) throw new Error(String(answer.status));
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}

// What scripts put into the page, or keep up to date by themselves.
const isOurs = (node) => node.nodeType === 1 && node.matches('button.copy, #live');
const isKept = (node) => node.nodeType === 1 && node.matches('figure.chart, #table');

const isBlank = (node) => node.nodeType === 3 && !node.nodeValue.trim();
const nameOf = (node) => (node.nodeType === 1 ? node.id || node.dataset.chart || '' : '');
const isLike = (one, other) => one.nodeName === other.nodeName && nameOf(one) === nameOf(other);
const childrenOf = (node) => [...node.childNodes].filter((one) => !isOurs(one) && !isBlank(one));

function morphAttributes(node, wanted) {
  for (const {name, value} of wanted.attributes)
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  for (const {name} of [...node.attributes])
    if (name !== 'open' && !wanted.hasAttribute(name)) node.removeAttribute(name);
}

// Goes over both lists of children. What is new is put in, what is gone is taken out. Sections and
// pictures have names and are looked for; other nodes are the same if they stand at the same place.
function morph(node, wanted) {
  const there = childrenOf(node);
  let at = 0;
  for (const next of childrenOf(wanted)) {
    const found = there.findIndex((one, i) => (i === at || (i > at && nameOf(next))) && isLike(one, next));
    if (found < 0) {
      node.insertBefore(document.importNode(next, true), there[at] || null);
      continue;
    }
    for (; at < found; ++at) there[at].remove();
    const here = there[at++];
    if (here.nodeType === 1) {
      morphAttributes(here, next);
      if (!isKept(here)) morph(here, next);
    } else if (here.nodeValue !== next.nodeValue) {
      here.nodeValue = next.nodeValue;
    }
  }
  for (; at < there.length; ++at) there[at].remove();
}
