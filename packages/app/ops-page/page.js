// Keeps the page up to date while somebody looks at it. What it shows was put into words by the service.

/** In milliseconds. */
const betweenLooks = 2_000;
const timeout = 5_000;

let timer;
let shown = '';

async function look() {
  clearTimeout(timer);
  try {
    const answer = await fetch('state.json', { cache: 'no-store', signal: AbortSignal.timeout(timeout) });
    if (!answer.ok) throw new Error(`${answer.status}`);
    show(await answer.json());
  } catch {
    setText('state', `No answer since ${document.querySelector('[data-text="at"]').textContent}`);
    setText('title', 'No answer · Campaign Mirror');
    document.documentElement.className = 'bad';
  }
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(look, betweenLooks);
}

function show({ good, texts, lines, rows }) {
  document.documentElement.className = good ? 'good' : 'bad';
  for (const [name, text] of Object.entries(texts)) setText(name, text);
  for (const [name, path] of Object.entries(lines)) {
    document.querySelector(`[data-line="${name}"]`)?.setAttribute('d', path);
  }
  // What has not changed stays as it is: somebody may be about to copy it.
  if (shown === JSON.stringify(rows)) return;
  shown = JSON.stringify(rows);
  for (const [name, all] of Object.entries(rows)) {
    document.querySelector(`[data-rows="${name}"]`)?.replaceChildren(...all.map(rowOf));
  }
}

/** Only what is new, or it would be read out again and again. */
function setText(name, text) {
  for (const element of document.querySelectorAll(`[data-text="${name}"]`)) {
    if (element.textContent !== text) element.textContent = text;
  }
}

function rowOf({ cells, bad }) {
  const row = document.createElement('tr');
  if (bad) row.className = 'bad';
  for (const [at, text] of cells.entries()) {
    const cell = document.createElement(at === 0 ? 'th' : 'td');
    if (at === 0) cell.scope = 'row';
    cell.textContent = text;
    row.append(cell);
  }
  return row;
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) clearTimeout(timer);
  else look();
});
look();
