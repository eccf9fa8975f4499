import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnsweredRequest } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { httpLog } from '../../packages/app/src/http/http-log.ts';
import { logTo } from '../../packages/app/src/logging/log.ts';
import { throttled } from '../../packages/app/src/logging/log-throttle.ts';
import { linesIn } from '../support/documents/log-schema.ts';
import { eventually } from '../support/eventually.ts';
import { untilTheEnd } from '../support/process/service-process.ts';
import { projectFolder } from '../support/workspace.ts';

const answered: AnsweredRequest = {
  requestId: 'one',
  client: '192.0.2.1',
  method: 'POST',
  route: '/a/{b}',
  status: 200,
  milliseconds: 1.23456,
};

function opened(level = 'info') {
  const output = { text: '' };
  const write = (line: string) => {
    output.text += line;
  };
  const lines = { write, add: write };
  return { output, lines, log: logTo(lines, level) };
}

const hostile: Record<string, Partial<AnsweredRequest>> = {
  'nothing of the sort': {},
  'quotes and backslashes': { requestId: '"\\",\\"event\\":\\"', method: '\\' },
  'line breaks': { requestId: 'a\r\nb\n{"level":60}\n', route: '\n' },
  'control characters': { requestId: '\u0000\u001b[2J\u007f\u0085', because: '\t\b\f' },
  'separators of lines and paragraphs': { method: '\u2028\u2029' },
  'lone surrogates and a pair': { requestId: '\ud800', method: '\udc00', route: '\u{1F600}' },
  'a text of 10,000 characters': { requestId: '"x'.repeat(5_000) },
  'all fields': { because: 'not-the-owner', campaign: Number.MAX_SAFE_INTEGER, callerGone: true },
  'the time of nothing': { milliseconds: 0 },
  'a time that is none': { milliseconds: Number.NaN },
};

describe('contract: answers — the lines of the log', () => {
  for (const [name, more] of Object.entries(hostile)) {
    it(`a request's has what is known of it, on one line: ${name}`, () => {
      const request = { ...answered, ...more };
      const { output, lines, log } = opened();
      httpLog(log, lines, 'info', () => {}).answered(request);
      const milliseconds = Math.round(request.milliseconds * 1000) / 1000;
      const [line, ...others] = linesIn(output.text);
      const known = JSON.parse(JSON.stringify({ ...request, milliseconds }));
      expect(line).to.deep.include({ level: 30, event: 'request', ...known, msg: 'request' });
      expect(others).to.deep.equal([]);
    });
  }

  for (const [status, event] of [
    [200, 'request'],
    [401, 'request-unauthenticated'],
    [403, 'request-forbidden'],
    [503, 'request'],
  ] as const) {
    it(`the event of an answer with ${status} is ${event}`, () => {
      const { output, lines, log } = opened();
      httpLog(log, lines, 'info', () => {}).answered({ ...answered, status, because: 'why' });
      expect(JSON.parse(output.text)).to.include({ event, status, because: 'why' });
    });
  }

  it('while the database is away its fault is told seldom, and each fault of ours', () => {
    const { output, lines, log } = opened();
    const http = httpLog(log, lines, 'info', () => {});
    for (const requestId of ['one', 'two', 'three']) http.failed(requestId, new Error('away'), 'unavailable');
    for (const requestId of ['four', 'five']) http.failed(requestId, new Error('ours'), 'unexpected');
    const told = linesIn(output.text);
    expect(told.map(({ event, requestId }) => [event, requestId])).to.deep.equal([
      ['unavailable', 'one'],
      ['unexpected', 'four'],
      ['unexpected', 'five'],
    ]);
  });

  it('what is told seldom is told with how often it was not', async () => {
    const told: number[] = [];
    const tell = (untold: number) => void told.push(untold);
    const throttle = throttled(20);
    for (let count = 0; count < 3; count++) throttle(tell);
    await eventually('a second time', () => {
      throttle(tell);
      expect(told).to.have.length(2);
    });
    expect(told[0]).to.equal(0);
    expect(told[1]).to.be.at.least(2);
  });

  it('a time is ISO 8601 in UTC, with milliseconds, and now', () => {
    const { output, lines, log } = opened();
    const before = Date.now();
    httpLog(log, lines, 'info', () => {}).answered(answered);
    const { time } = JSON.parse(output.text);
    expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(time)).to.be.within(before, Date.now());
  });

  it('a level that is changed while it runs is kept to', () => {
    const { output, lines, log } = opened('warn');
    const [requests, probes] = [
      httpLog(log, lines, 'info', () => {}),
      httpLog(log, lines, 'debug', () => {}),
    ];
    const tell = () => {
      requests.answered(answered);
      probes.answered(answered);
    };
    tell();
    expect(output.text).to.equal('');
    log.level = 'info';
    tell();
    log.level = 'debug';
    tell();
    const levels = output.text.match(/"level":\d+/g);
    expect(levels).to.deep.equal(['"level":30', '"level":30', '"level":20']);
  });

  for (const [how, end] of Object.entries({
    'an exit in the midst of it': 'process.exit(0)',
    'an error that nobody caught': 'throw new Error("uncaught")',
  })) {
    it(`the last ones are not lost by ${how}`, () => {
      const program = `
        import { openLog } from './packages/app/src/logging/log.ts';
        const { lines } = openLog('info');
        for (let count = 0; count < 3; count++) lines.add(count + '\\n');
        ${end};`;
      const options = { cwd: projectFolder, encoding: 'utf8' } as const;
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], options);
      expect(stdout).to.equal('0\n1\n2\n');
    });
  }

  it('of a reader that is stuck, what is too much to keep is lost, and it is told how much', async () => {
    const program = `
      import { openLog } from './packages/app/src/logging/log.ts';
      const { lines } = openLog('info');
      for (let count = 0; count < 30_000; count++) lines.add('x'.repeat(1_000) + '\\n');
      console.error('done');
      setInterval(() => {}, 1_000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: projectFolder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    untilTheEnd(child);
    await once(child.stderr, 'data');
    let output = '';
    for await (const piece of child.stdout.setEncoding('utf8')) {
      output += piece;
      if (output.endsWith('\n') && output.slice(-300).includes('log-lines-lost')) break;
    }
    const { count } = JSON.parse(output.split('\n').at(-2) ?? '');
    const kept = output.match(/^x{1000}$/gm)?.length ?? 0;
    expect(kept).to.be.within(16_000, 17_000);
    expect(kept + count).to.equal(30_000);
    child.kill('SIGKILL');
  });

  it('a full disk loses what is too much to keep, and takes the rest when it has room', async () => {
    const program = `
      import { closeSync, openSync } from 'node:fs';
      import { openLog } from './packages/app/src/logging/log.ts';
      const { lines } = openLog('info');
      for (let count = 0; count < 30_000; count++) lines.add('x'.repeat(1_000) + '\\n');
      console.error = () => {
        closeSync(1);
        openSync(process.env.FILE, 'w');
        setImmediate(() => lines.write(('x'.repeat(1_000) + '\\n').repeat(100)));
      };
      setInterval(() => {}, 1_000);`;
    const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-'));
    const file = join(folder, 'log');
    await writeFile(file, '');
    const full = await open('/dev/full', 'w');
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: projectFolder,
      env: { ...process.env, FILE: file },
      stdio: ['ignore', full.fd, 'inherit'],
    });
    untilTheEnd(child);
    const [kept, lost] = await eventually('what was lost', async () => {
      const written = await readFile(file, 'utf8');
      expect(written.slice(-300)).to.match(/log-lines-lost.*\n$/);
      return [written.match(/^x{1000}$/gm)?.length ?? 0, JSON.parse(written.split('\n').at(-2) ?? '').count];
    });
    expect(kept).to.be.within(16_000, 17_000);
    expect(kept + lost).to.equal(30_100);
    child.kill('SIGKILL');
    await full.close();
    await rm(folder, { recursive: true });
  });
});
