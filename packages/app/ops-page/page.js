// While the page is visible, it polls /readyz and /metrics every two seconds, and draws the last ten minutes.

const element = (id) => document.getElementById(id);
const fetched = (path) => fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(timeout) });
const utc = (seconds) => `${new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
const few = (number) => number?.toLocaleString('en', { maximumSignificantDigits: 3 }) ?? '–';

/** The time between two polls, and the time limit of an answer, in milliseconds. */
const interval = 2_000;
const timeout = 5_000;
/** How long a poll is kept, in seconds. */
const kept = 600;

/** A poll has the values of these lines in this order. */
const charts = [
  { title: 'Answers a second', lines: ['200', '4xx', '5xx'] },
  { title: 'Latency of answers with 200, ms', lines: ['half took at most', '99 % took at most'] },
  { title: 'Requests in flight', lines: ['in flight', 'limit'] },
  { title: 'Connections to the database', lines: ['in use', 'limit', 'statements waiting'] },
].map(drawn);
/** The polls of one process, the oldest first. */
let polls = [];

async function poll() {
  try {
    const [readyz, metrics] = await Promise.all(['readyz', 'metrics'].map(fetched));
    const { checks } = await readyz.json();
    const values = valuesIn(await metrics.text());
    const [{ value: started }] = values('process_start_time_seconds');
    if (polls[0]?.started !== started) polls = [];
    polls.push({ started, ...pollOf(values, polls.at(-1)) });
    const { at, refusals } = polls.at(-1);
    while (polls[0].at < at - kept) polls.shift();
    const [{ version, commit }] = values('campaign_mirror_build_info');
    const built = commit ? ` (commit ${commit})` : '';
    element('process').textContent = `Version ${version}${built}, started ${utc(started)}. As of ${utc(at)}.`;
    const failing = Object.keys(checks).filter((name) => !checks[name]);
    headline(failing.length > 0 ? `Not ready: ${failing.join(', ')}` : 'Ready', failing.length === 0);
    for (const draw of charts) draw();
    showRefusals(refusals, polls[0].refusals);
  } catch {
    headline('No answer', false);
  }
}

/** A function that finds the values of a metric whose labels begin with these texts, in Prometheus' text format. */
function valuesIn(text) {
  const all = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels = '', value]) => {
    const pairs = [...labels.matchAll(/(\w+)="(.*?)"(?:,|$)/g)].map(([, label, text]) => [label, text]);
    return { ...Object.fromEntries(pairs), name, value: Number(value) };
  });
  return (name, labels = {}) =>
    all.filter(
      (one) => one.name === name && Object.keys(labels).every((key) => one[key].startsWith(labels[key])),
    );
}

/** null: a rate in the first poll, or a latency without calls. */
function pollOf(values, last) {
  const at = Date.now() / 1_000;
  const sum = (name, labels) =>
    values(`campaign_mirror_${name}`, labels).reduce((total, { value }) => total + value, 0);
  const answers = ['200', '4', '5'].map((status) =>
    sum('http_requests_total', { listener: 'callers', status }),
  );
  const labels = { route: '/public/v1/mirror/', status: '200' };
  const buckets = values('campaign_mirror_http_request_duration_seconds_bucket', labels);
  const lines = [
    answers.map((count, index) => (last ? (count - last.answers[index]) / (at - last.at) : null)),
    [0.5, 0.99].map((share) => (last ? bound(share, buckets, last.buckets) : null)),
    [sum('http_requests_in_flight'), sum('http_requests_in_flight_limit')],
    [sum('pool_connections', { state: 'in-use' }), sum('pool_connections_limit'), sum('pool_waiting')],
  ];
  return { at, answers, buckets, lines, refusals: values('campaign_mirror_http_refusals_total') };
}

/** The bound, in milliseconds, that this share of the calls since the last poll did not exceed; or the last bound. */
function bound(share, now, before) {
  const counts = now.map(({ value }, index) => value - (before[index]?.value ?? 0));
  const all = counts.pop();
  if (!all) return null;
  const { le } = now[counts.findIndex((count) => count >= share * all)] ?? now.at(-2);
  return le * 1_000;
}

function headline(text, isGood) {
  document.title = `${text} · Campaign Mirror`;
  const state = element('state');
  state.className = isGood ? '' : 'bad';
  // A screen reader would repeat an unchanged text.
  if (state.textContent !== text) state.textContent = text;
}

/** The series of a metric keep their order; new ones come last. */
function showRefusals(now, before) {
  element('refusals').replaceChildren();
  for (const [index, { because, status, value }] of now.entries()) {
    const times = value - (before[index]?.value ?? 0);
    if (times === 0) continue;
    const row = element('refusals').insertRow();
    for (const text of [because, status, times]) row.insertCell().textContent = text;
  }
}

/** Adds a chart to the page, and returns the function that draws it. */
function drawn({ title, lines }, chart) {
  const figure = document.querySelector('template').content.cloneNode(true).firstElementChild;
  figure.querySelector('figcaption').textContent = title;
  element('charts').append(figure);
  return () => {
    const top = Math.max(1, ...polls.flatMap((one) => one.lines[chart]));
    figure.querySelector('p').textContent = `from 0 to ${few(top)}`;
    for (const [line, name] of lines.entries()) {
      const last = polls.at(-1).lines[chart][line];
      figure.querySelectorAll('li')[line].textContent = `${name}: ${few(last)}`;
      figure.querySelectorAll('path')[line].setAttribute('d', pathOf(chart, line, top));
    }
  };
}

/** In a square of 1. A null makes a gap; a value between two gaps is a dot. */
function pathOf(chart, line, top) {
  const begin = polls[0].at;
  const width = polls.at(-1).at - begin || 1;
  const steps = polls.map(({ at, lines }, index) => {
    const value = lines[chart][line];
    if (value === null) return '';
    const before = polls[index - 1]?.lines[chart][line] ?? null;
    return `${before === null ? 'M' : 'L'}${(at - begin) / width} ${1 - value / top}h0`;
  });
  return steps.join('');
}

for (;;) {
  if (!document.hidden) await poll();
  await new Promise((resolve) => setTimeout(resolve, interval));
}
