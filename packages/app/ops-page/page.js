// Updates the page while it is visible, and keeps what it has seen. Times are in seconds since 1970.

/** How often `state.json` and `metrics` are fetched, and how long an answer may take, in milliseconds. */
const betweenLooks = 2_000;
const timeout = 5_000;
/** What the plots show, in seconds. */
const span = 600;

const few = (value) => value?.toLocaleString('en', { maximumSignificantDigits: 3 }) ?? '–';
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
/** The distances between the lines of a grid: 1, 2 or 5 times a power of ten. */
const steps = [-3, -2, -1, 0, 1, 2, 3, 4, 5].flatMap((power) =>
  [1, 2, 5].map((times) => times * 10 ** power),
);
const whole = (value) => value?.toLocaleString('en') ?? '–';
/** The limit may be missing. */
const outOf = (now, limit) => (limit == null ? whole(now) : `${whole(now)} of ${whole(limit)}`);
/** In UTC, as in the log. */
const iso = (seconds) => new Date(seconds * 1_000).toISOString();
const clock = (seconds) => iso(seconds).slice(11, 19);
const minute = (seconds) => iso(seconds).slice(0, 16).replace('T', ' ');
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

let timer;
let rows = '';
let state = { at: Date.now() / 1_000, figures: {} };
/** The looks of the last ten minutes, the oldest first. */
const moments = [];
const plots = [...document.querySelectorAll('figure')].map(plotIn);

async function look() {
  clearTimeout(timer);
  try {
    const [answer, metrics] = await Promise.all(['state.json', 'metrics'].map(fetched));
    state = { ...(await answer.json()), ...figuresIn(valuesIn(await metrics.text())) };
    moments.push(momentOf(state, moments.at(-1)));
    while (moments[0].at < state.at - span) moments.shift();
    show();
  } catch {
    headline(`No answer since ${clock(state.at)} UTC`, 'No answer');
  }
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(look, betweenLooks);
}

async function fetched(path) {
  const answer = await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(timeout) });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer;
}

/** A function that finds the values of a metric which have these labels, in the text format of Prometheus. */
function valuesIn(text) {
  const all = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels = '', value]) => {
    return { name, value: Number(value), ...Object.fromEntries(labels.split(',').map(labelIn)) };
  });
  return (name, wanted = {}) =>
    all.filter((one) => Object.entries({ name, ...wanted }).every(([label, value]) => one[label] === value));
}

/** No label has a comma, or a character that is escaped. */
const labelIn = (text) => [text.split('=')[0], text.slice(text.indexOf('"') + 1, -1)];

function figuresIn(values) {
  const callers = { listener: 'callers' };
  const sum = (list) => list.reduce((total, { value }) => total + value, 0);
  const now = (name, labels) => sum(values(`campaign_mirror_${name}`, labels));
  const answers = values('campaign_mirror_http_requests_total', callers);
  const answered = (first) => sum(answers.filter(({ status }) => status.startsWith(first)));
  const buckets = new Map();
  for (const { le, value } of values('campaign_mirror_http_request_duration_seconds_bucket', callers))
    buckets.set(le, (buckets.get(le) ?? 0) + value);
  return {
    /** Since the process began. */
    counts: {
      requests: sum(answers),
      serverErrors: answered('5'),
      clientErrors: answered('4'),
    },
    /** How many answers took at most so many milliseconds, in ascending order. */
    buckets: [...buckets].map(([le, count]) => ({ bound: le === '+Inf' ? Infinity : le * 1_000, count })),
    refusals: values('campaign_mirror_http_refusals_total').filter(({ value }) => value > 0),
    figures: {
      startedAt: sum(values('process_start_time_seconds')),
      inFlight: now('http_requests_in_flight'),
      inFlightLimit: now('http_requests_in_flight_limit'),
      connections: now('http_connections', callers),
      connectionsLimit: now('http_connections_limit', callers),
      poolInUse: now('pool_connections', { state: 'in-use' }),
      poolLimit: now('pool_connections_limit'),
      poolWaiting: now('pool_waiting'),
      overloads: now('overload_refusals_total', callers),
      late: sum(values('nodejs_eventloop_lag_p99_seconds')),
      memory: sum(values('process_resident_memory_bytes')),
    },
  };
}

/** What is plotted: rates per second, latencies in milliseconds; null if there is none, as at the first look at a process. */
function momentOf({ at, counts, buckets, figures, refusals }, last) {
  const before = last?.figures.startedAt === figures.startedAt ? last : undefined;
  const rate = (name) => (before ? (counts[name] - before.counts[name]) / (at - before.at) : null);
  const took = before
    ? buckets.map(({ bound, count }, index) => ({ bound, count: count - before.buckets[index].count }))
    : [];
  const { poolInUse, poolWaiting } = figures;
  const rates = Object.fromEntries(Object.keys(counts).map((name) => [name, rate(name)]));
  const latencies = { percentile99: quantile(0.99, took), median: quantile(0.5, took) };
  return { at, counts, buckets, figures, refusals, ...rates, ...latencies, poolInUse, poolWaiting };
}

/** A quantile of a histogram, as Prometheus' `histogram_quantile` has it; null if nothing was observed. */
function quantile(share, buckets) {
  const rank = share * (buckets.at(-1)?.count ?? 0);
  if (rank === 0) return null;
  const at = buckets.findIndex(({ count }) => count >= rank);
  const below = buckets[at - 1] ?? { bound: 0, count: 0 };
  const own = buckets[at];
  if (own.bound === Infinity) return below.bound;
  return below.bound + ((own.bound - below.bound) * (rank - below.count)) / (own.count - below.count);
}

function show() {
  const { readiness, version, figures, refusals, keys, moves } = state;
  const checks = Object.entries({ alive: true, ...readiness });
  const missing = Object.keys(readiness).filter((name) => !readiness[name]);
  headline(missing.length > 0 ? `Not ready: ${missing.join(', ')}` : 'Ready');
  setText('at', `${clock(state.at)} UTC`);
  setText('version', version.version);
  setText('noRefusals', refusals.length === 0 ? 'None.' : '');
  const more = keys?.length ? keys[0].all - keys.length : 0;
  setText('noKeys', more > 0 ? `And ${whole(more)} more.` : none(keys));
  setText('noMoves', none(moves));
  setRows({
    keys: (keys ?? []).map((one) => [one.id, one.name, one.owner, minute(one.expiresAt), one.hosts ?? 'any']),
    moves: (moves ?? []).map((one) => [one.id, minute(one.at), moveOf(one), whole(one.mirrors)]),
    refusals: refusals
      .map((one) => ({ ...one, last: lastOf(one) }))
      .sort((one, other) => other.last - one.last || other.value - one.value)
      .map((one) => [one.because, one.status, whole(one.value), one.last ? clock(one.last) : 'before']),
    checks: checks.map(([name, passes]) => [name, passes ? 'passes' : 'fails']),
    figures: [
      ['version', version.version],
      ['Node', version.node],
      ['newest migration', version.migration],
      ['runs since', figures.startedAt ? `${minute(figures.startedAt)} UTC` : '–'],
      ['requests in flight', outOf(figures.inFlight, figures.inFlightLimit)],
      ['connections of callers', outOf(figures.connections, figures.connectionsLimit)],
      ['refused for overload', whole(figures.overloads)],
      ['event loop late, p99', `${few(figures.late && figures.late * 1_000)} ms`],
      ['memory', `${few(figures.memory && figures.memory / 2 ** 20)} MiB`],
    ],
  });
  const times = moments.map(({ at }) => at);
  for (const { plot, names } of plots)
    plot.setData([times, ...names.map((name) => moments.map((moment) => moment[name]))]);
}

/** When the page saw the last refusal for this reason: 0 if not in the last ten minutes. */
function lastOf({ because, value }) {
  const timesIn = ({ refusals }) => refusals.find((one) => one.because === because)?.value ?? 0;
  const seen = moments.findIndex((moment) => timesIn(moment) === value);
  return seen > 0 ? moments[seen].at : 0;
}

/** The text below a table without rows; null stands for a database that does not answer. */
function none(list) {
  if (!list) return 'The database does not answer.';
  return list.length === 0 ? 'None.' : '';
}

function moveOf({ from, to, undoes }) {
  if (undoes !== null) return `undoes move ${undoes}`;
  return from === null ? 'addresses of a file' : `${from} → ${to}`;
}

/** `brief`: for the title. */
function headline(text, brief = text) {
  document.documentElement.className = text === 'Ready' ? 'good' : 'bad';
  setText('state', text);
  setText('title', `${brief} · Campaign Mirror`);
}

/** Changes only a text that is new: a screen reader would read the others again. */
function setText(name, text) {
  const element = document.querySelector(`[data-text="${name}"]`);
  if (element.textContent !== text) element.textContent = text;
}

/** Leaves rows that have not changed: somebody may be about to copy them. */
function setRows(tables) {
  if (rows === JSON.stringify(tables)) return;
  rows = JSON.stringify(tables);
  for (const [name, table] of Object.entries(tables)) {
    document.querySelector(`[data-rows="${name}"]`).replaceChildren(...table.map(rowOf));
  }
}

function rowOf(cells) {
  const row = document.createElement('tr');
  if (cells.length === 2 && cells[1] === 'fails') row.className = 'bad';
  for (const [at, text] of cells.entries()) {
    const cell = document.createElement(at === 0 ? 'th' : 'td');
    if (at === 0) cell.scope = 'row';
    cell.textContent = text;
    row.append(cell);
  }
  return row;
}

/** Plots the series that the list of the figure names. The plot is decorative: the list has the present values. */
function plotIn(figure) {
  const values = [...figure.querySelectorAll('[data-series]')];
  const names = values.map((element) => element.dataset.series);
  const box = document.createElement('div');
  box.setAttribute('aria-hidden', 'true');
  figure.querySelector('figcaption').after(box);
  const axis = (size, space, label) => ({
    size,
    space,
    gap: 8,
    values: (_, all) => all.map(label),
    ticks: { show: false },
    stroke: () => colour('--faint'),
    grid: { stroke: () => colour('--rule'), width: 1 },
  });
  const line = (_, index) => {
    const stroke = () => colour(`--line${index}`);
    const points = { show: false, filter: alone, size: 7, fill: stroke };
    return { stroke, points, width: 2, dash: index === 0 ? [] : [6, 4] };
  };
  const top = (max) => Math.max(1, state.figures[figure.dataset.limit] ?? 0, max ?? 0) * 1.05;
  const size = () => ({ width: box.clientWidth, height: 150 });
  const options = {
    ...size(),
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false }, sync: { key: 'time' } },
    scales: {
      x: { range: () => [state.at - span, state.at] },
      y: { range: (_, __, max) => [top(max) * -0.03, top(max)] },
    },
    axes: [
      { ...axis(26, 40, (at) => clock(at).slice(0, 5)), incrs: [60, 120, 300] },
      { ...axis(40, 20, (value) => compact.format(value)), incrs: steps },
    ],
    series: [{}, ...names.map(line)],
    hooks: { setCursor: [showValues], setData: [showValues] },
  };
  /** Shows the values at the pointer, or the present ones. A service that was restarted has fewer moments than before. */
  function showValues({ cursor: { idx }, data: [times, ...series] }) {
    const pointed = times[idx] !== undefined;
    setText('when', pointed ? `at ${clock(times[idx])} UTC` : '');
    for (const [index, element] of values.entries()) {
      element.textContent = few(series[index][pointed ? idx : times.length - 1]);
    }
  }
  const plot = new uPlot(options, [[], ...names.map(() => [])], box);
  new ResizeObserver(() => plot.setSize(size())).observe(box);
  return { plot, names };
}

/** The points without a neighbour, which no line reaches, and the last one, whose line may be too short to be seen. */
function alone(plot, index) {
  const all = plot.data[index];
  return all.flatMap((value, at) =>
    value != null && all[at + 1] == null && (all[at - 1] == null || at === all.length - 1) ? [at] : [],
  );
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const { plot } of plots) plot.redraw();
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) clearTimeout(timer);
  else look();
});
look();
