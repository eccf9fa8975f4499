import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { mock } from 'node:test';
import type { AnsweredRequest } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { httpLog } from '../../packages/app/src/http/listeners.ts';
import { logTo, readable } from '../../packages/app/src/logging/log.ts';
import { errorFields } from '../../packages/app/src/logging/log-events.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';
import { untilTheEnd } from '../support/process/service-process.ts';
import { marked } from '../support/secrets.ts';
import { projectFolder } from '../support/workspace.ts';
import { steering } from './hostile-requests.ts';

const answered: AnsweredRequest = {
  ...{ requestId: 'one', client: '192.0.2.1', method: 'POST', route: '/a/{b}' },
  ...{ status: 200, milliseconds: 1.23456 },
};

function opened() {
  let written = '';
  const log = logTo((line) => (written += line), 'info');
  return { output: () => written, log, http: httpLog(log, 'info', () => {}) };
}

describe('contract: answers — the lines of the log', () => {
  it('that of a request has all that is known of it, and says when it was written', () => {
    for (const [more, event] of [
      [{}, 'request'],
      [{ status: 401, because: 'unknown-key' }, 'request-unauthenticated'],
      [{ status: 403, because: 'not-the-owner', campaign: Number.MAX_SAFE_INTEGER }, 'request-forbidden'],
      [{ status: 429, callerGone: true }, 'request-limited'],
      [{ requestId: '"\\",\\"event\\":\\"', method: '\ud800', route: '"x\n'.repeat(5_000) }, 'request'],
    ] as const) {
      const { output, http } = opened();
      const before = Date.now();
      http.answered({ ...answered, ...more });
      const [{ time, pid, ...line }, ...others] = objectsOf(output());
      const known = { ...answered, ...more, milliseconds: 1.235 };
      expect(line).to.deep.equal({ level: 30, event, ...known, msg: 'request' });
      expect(pid).to.equal(process.pid);
      expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(time)).to.be.within(before, Date.now());
      expect(others).to.deep.equal([]);
    }
  });

  it('while the database is away its fault is logged seldom, and each fault of ours', () => {
    const { output, http } = opened();
    for (const requestId of ['one', 'two', 'three']) http.failed(requestId, new Error('away'), 'unavailable');
    for (const requestId of ['four', 'five']) http.failed(requestId, new Error('ours'), 'unexpected');
    expect(objectsOf(output()).map(({ event, requestId }) => [event, requestId])).to.deep.equal([
      ['unavailable', 'one'],
      ['unexpected', 'four'],
      ['unexpected', 'five'],
    ]);
    const later = performance.now() + 5_000;
    const now = mock.method(performance, 'now', () => later);
    http.failed('six', new Error('away'), 'unavailable');
    now.mock.restore();
    expect(objectsOf(output()).at(-1)).to.include({ requestId: 'six', suppressed: 2 });
  });

  it('nobody steers a terminal or forges a line: a reader gets the text back, and a terminal what it can show', () => {
    const unshown = /[^\n\u0020-\u007e\u00a1-\u1fff]/;
    const asCharacters = '\u0085\u009b\u2028\u2029\u202e\u2066\u200f\ufeff\u061c\u200b\u007f';
    for (const text of [...Object.values(steering), asCharacters]) {
      const { output, log, http } = opened();
      const err = Object.assign(new Error(`it says ${text}`), { code: text });
      log.error({ event: 'unexpected', requestId: text, err }, text);
      log.info({ event: 'starting', settings: { [text]: text } }, 'starting');
      const said = { ...answered, requestId: text, method: text, route: text, client: text };
      http.answered({ ...said, milliseconds: 1 });
      expect(output()).not.to.match(unshown);
      const [error, setting, request, ...more] = objectsOf(output());
      expect(error).to.include({ requestId: text, msg: text }).and.to.have.nested.property('err.code', text);
      expect(setting.settings).to.deep.equal({ [text]: text });
      expect(request).to.include({ ...said, milliseconds: 1 });
      expect(more).to.deep.equal([]);
      const shown = output()
        .split(/(?<=\n)/)
        .map(readable)
        .join('');
      expect(shown, 'in a terminal').not.to.match(unshown);
      expect(shown).not.to.match(/^\{?"?(?:level|event)/m);
    }
  });

  describe('of a process', () => {
    const folder = folderOf('suite');

    /** A program that writes so many lines of 1,000 characters, and what it does then. */
    function writer(count: number, then: string, output: number | 'pipe') {
      const program = `
        import { openLog } from './packages/app/src/logging/log.ts';
        const { print, close } = openLog('info');
        const line = 'x'.repeat(1_000) + '\\n';
        for (let at = 0; at < ${count}; at++) print(line);
        ${then}`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        ...{ cwd: projectFolder, stdio: ['ignore', output, 'pipe'] },
      });
      untilTheEnd(child);
      return child;
    }
    for (const [then, code] of [
      ['await close(); process.exit(7);', 7],
      ['throw new Error("uncaught");', 1],
    ] as const)
      it(`the last ones are not lost by ${then}`, async () => {
        const file = folder.at('log');
        const output = openSync(file, 'w');
        const child = writer(1_234, then, output);
        closeSync(output);
        expect((await once(child, 'exit'))[0]).to.equal(code);
        expect(await readFile(file, 'utf8')).to.equal(`${'x'.repeat(1_000)}\n`.repeat(1_234));
      });
  });
});

describe('docs/reference/logs.md: what is logged about an error', () => {
  const database = databaseOf('suite');

  it('nothing of what was thrown and is no error', () => {
    for (const thrown of [marked, { toString: () => marked }, Object.create(null), Symbol(marked), null, 1n])
      expect(JSON.stringify(errorFields(thrown)))
        .to.include('no Error was thrown')
        .and.not.to.include(marked);
  });

  it('no piece of JSON that a message quotes; no message and no chain of causes without end', () => {
    for (const text of [`{"${marked}"`, marked])
      expect(() => JSON.parse(text))
        .to.throw(SyntaxError)
        .with.satisfy((error: unknown) => !JSON.stringify(errorFields(error)).includes(marked));
    const error = new Error('x'.repeat(1_000_000));
    error.cause = error;
    expect(JSON.stringify(errorFields(error))).to.have.length.below(20_000);
  });

  it('nothing that a database quotes, but the name of what is missing in it', async () => {
    const client = await connect(database.address('owner'));
    const faultOf = (text: string, ...values: string[]) =>
      client.query(text, values).catch((fault: unknown) => fault);
    for (const [text, ...values] of [
      ['select $1::bigint', marked],
      ['select $1::text[]', marked],
      ['select $1::timestamptz', marked],
      ['select $1::numeric::int', '99999999999'],
      [`select '${marked}' ${marked} from from`],
      ['insert into campaign_mirror.campaigns (owner_id, name) values (0, $1)', marked],
      [`do $$ begin raise exception '%', '${marked}'; end $$`],
    ] as const) {
      const error = await faultOf(text, ...values);
      expect(error, text).to.be.instanceOf(Error).and.to.have.property('code');
      expect(JSON.stringify(errorFields(error)), text).not.to.match(new RegExp(`${marked}|99999999999`));
    }
    const missing = await faultOf('select from campaign_mirror.nothing');
    expect(errorFields(missing).message).to.equal('relation "campaign_mirror.nothing" does not exist');
    await client.end();
  });
});
