// The list of studies, asked for again and again while somebody looks.

const kPeriod = 2000;

async function follow() {
  try {
    if (document.hidden) return;
    const page = await fetched(location.pathname);
    morph(document.querySelector('main'), page.querySelector('main'));
    document.documentElement.dataset.lists = Number(document.documentElement.dataset.lists || 0) + 1;
  } catch {
    // The server is gone for a while: what there was stays.
  } finally {
    setTimeout(follow, kPeriod);
  }
}

setTimeout(follow, kPeriod);
