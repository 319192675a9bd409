// The token comes behind the '#' of the address, which no browser sends to a server or keeps in a
// log of requests. It becomes a cookie that no script can read.

async function login(token) {
  const said = document.querySelector('#said');
  try {
    const answer = await fetch('/login', {method: 'POST', headers: {Authorization: 'Bearer ' + token}});
    if (answer.ok) return location.replace('/');
    said.textContent = 'This is not the token that the server printed.';
  } catch {
    said.textContent = 'The server does not answer.';
  }
}

const given = /^#token=([\w-]+)$/.exec(location.hash);
if (given) {
  history.replaceState(null, '', location.pathname);
  login(given[1]);
}
document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault();
  login(document.querySelector('input').value.trim());
});
