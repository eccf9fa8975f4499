import { escaped } from './escaped.ts';
import { drawing, type Line, type Plot, plots } from './plots.ts';
import type { Row } from './row.ts';
import type { View } from './view.ts';

/**
 * The whole page, complete without its script. Paths are relative: it may be behind a prefix. `counted`: whether there
 * are metrics.
 */
export function pageOf(view: View, counted: boolean): string {
  const text = (name: string) => `<span data-text="${name}">${escaped(view.texts[name] ?? '')}</span>`;
  const rows = (name: keyof View['rows']) =>
    `<tbody data-rows="${name}">${view.rows[name].map(rowOf).join('')}</tbody>`;
  return `<!doctype html>
<html lang="en" class="${view.good ? 'good' : 'bad'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title data-text="title">${escaped(view.texts.title ?? '')}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css">
<noscript><meta http-equiv="refresh" content="10"></noscript>
<script type="module" src="page.js"></script>
</head>
<body>
<header>
<h1>Campaign Mirror <small>${text('version')}</small></h1>
<p class="state" role="status"><strong data-text="state">${escaped(view.texts.state ?? '')}</strong></p>
<p class="at">As of ${text('at')}</p>
</header>
<main>
${counted ? plotted(view, text) : '<p>With METRICS=off nothing is counted: there are no figures of the last minutes.</p>'}
<div class="tables">
<div>
${counted ? refusals(text, rows) : ''}
<section aria-labelledby="checks">
<h2 id="checks">Checks</h2>
<table><thead><tr><th scope="col">check</th><th scope="col">now</th></tr></thead>${rows('checks')}</table>
</section>
</div>
<section aria-labelledby="figures">
<h2 id="figures">What runs</h2>
<table><thead><tr><th scope="col">what</th><th scope="col">now</th></tr></thead>${rows('figures')}</table>
</section>
</div>
</main>
<footer>
<nav aria-label="For programs">
<ul>
${counted ? '<li><a href="metrics">metrics</a></li>' : ''}
<li><a href="livez">livez</a></li>
<li><a href="readyz">readyz</a></li>
<li><a href="version">version</a></li>
</ul>
</nav>
</footer>
</body>
</html>
`;
}

type Text = (name: string) => string;

function plotted(view: View, text: Text): string {
  return `<section aria-labelledby="recently">
<h2 id="recently">The last ${text('span')}</h2>
<div class="plots">
${plots.map((plot) => figureOf(plot, view, text)).join('\n')}
</div>
</section>`;
}

/** The drawing is decorative: the values beside it say the same. */
function figureOf({ name, title, unit, lines }: Plot, view: View, text: Text): string {
  const { width, height } = drawing;
  const path = (line: Line, at: number) =>
    `<path class="line${at}" data-line="${line.name}" d="${escaped(view.lines[line.name] ?? '')}"/>`;
  const key = (line: Line, at: number) =>
    `<li class="line${at}">${line.label}: <b data-text="${line.name}">${escaped(view.texts[line.name] ?? '')}</b></li>`;
  return `<figure>
<figcaption>${title} <small>${unit}</small></figcaption>
<p class="top" aria-hidden="true">${text(`${name}-top`)}</p>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">${lines.map(path).join('')}</svg>
<ul class="key">${lines.map(key).join('')}</ul>
</figure>`;
}

function refusals(text: Text, rows: (name: 'refusals') => string): string {
  const columns = ['because', 'status', 'times', 'last'].map((name) => `<th scope="col">${name}</th>`);
  return `<section aria-labelledby="refusals">
<h2 id="refusals">Refusals of the last ${text('span')}</h2>
<table><thead><tr>${columns.join('')}</tr></thead>${rows('refusals')}</table>
<p>${text('no-refusals')}</p>
</section>`;
}

function rowOf({ cells: [first = '', ...more], bad }: Row): string {
  const cells = more.map((cell) => `<td>${escaped(cell)}</td>`).join('');
  return `<tr${bad ? ' class="bad"' : ''}><th scope="row">${escaped(first)}</th>${cells}</tr>`;
}
