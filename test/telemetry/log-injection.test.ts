import { expect } from 'chai';
import { httpLog } from '../../packages/app/src/http/http-log.ts';
import { logTo } from '../../packages/app/src/logging/log.ts';
import { LogLines } from '../../packages/app/src/logging/log-lines.ts';
import { readable } from '../../packages/app/src/logging/log-readable.ts';
import { linesIn, schemaFaults } from '../support/documents/log-schema.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { requestsWith, send, steering } from './hostile-requests.ts';

/** Anything that a terminal does not just show. */
const unshown = /[^\n\u0020-\u007e\u00a1-\u1fff]/;
const asCharacters = '\u0085\u009b\u2028\u2029\u202e\u2066\u200f\ufeff\u061c\u200b\u007f';

describe('docs/reference/logs.md: no line is forged, and no terminal is steered', () => {
  const data = serviceDataOf('suite');

  it('by what callers send: each line is JSON of the schema, in ASCII, and each request has one', async () => {
    const said = { LOG_LEVEL: 'trace', TRUSTED_PROXIES: '127.0.0.1' };
    const { process, base, ops } = await listeningService({ ...data.settings(), ...said });
    const answers: string[] = [];
    for (const listener of [base, ops])
      for (const text of Object.values(steering)) {
        const requests = requestsWith(text, data.key);
        const sent = requests.map((bytes) => send(Number(new URL(listener).port), bytes));
        answers.push(...(await Promise.all(sent)));
      }
    expect((await process.stop()).code).to.equal(0);
    expect(process.errors).to.equal('');
    expect(process.output).to.match(/^[\n\u0020-\u007e]+$/);
    expect(schemaFaults(process.output)).to.deep.equal([]);
    const lines = linesIn(process.output);
    expect(lines.map(({ event }) => event)).not.to.include('forged');
    const logged = new Set(lines.map(({ requestId }) => requestId));
    const answered = answers.flatMap((answer) => /^X-Request-Id: (.*)\r$/m.exec(answer)?.[1] ?? []);
    expect(answered.length).to.be.above(answers.length / 2);
    expect(answered.filter((id) => !logged.has(id))).to.deep.equal([]);
  });

  it('by an error, a setting or a request: a reader gets the text back, and a terminal what it can show', () => {
    for (const text of [...Object.values(steering), asCharacters]) {
      let output = '';
      const lines = new LogLines({ write: (written) => (output += written) });
      const log = logTo(lines, 'info');
      const err = Object.assign(new Error(`it says ${text}`), { code: text });
      log.error({ event: 'unexpected', requestId: text, err }, text);
      log.info({ event: 'starting', settings: { [text]: text } }, 'starting');
      const answered = { requestId: text, method: text, route: text, client: text };
      httpLog(log, lines, 'info', () => {}).answered({ ...answered, status: 200, milliseconds: 1 });
      lines.flush();
      expect(output).not.to.match(unshown);
      const [error, setting, request, ...more] = linesIn(output);
      expect(error).to.include({ requestId: text, msg: text }).and.to.have.nested.property('err.code', text);
      expect(setting.settings).to.deep.equal({ [text]: text });
      expect(request).to.include(answered);
      expect(more).to.deep.equal([]);
      const shown = readable()(output);
      expect(shown, 'in a terminal').not.to.match(unshown);
      expect(shown).not.to.match(/^\{?"?(?:level|event)/m);
    }
  });
});
