import type { AnsweredRequest } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { printable } from '../../packages/adapters-cli/src/terminal/text.ts';
import { httpLog } from '../../packages/app/src/http/http-log.ts';
import { type Log, logTo } from '../../packages/app/src/logging/log.ts';
import { LogLines } from '../../packages/app/src/logging/log-lines.ts';
import { readable } from '../../packages/app/src/logging/log-readable.ts';
import { linesIn, schemaFaults } from '../support/documents/log-schema.ts';
import { requestsWith, send, steering } from '../support/http/hostile-requests.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

/** Anything that a terminal does not just show. */
const unshown = /[^\n\u0020-\u007e\u00a1-\u1fff]/;

function written(write: (log: Log, lines: LogLines) => void): string {
  let output = '';
  const lines = new LogLines({ write: (text) => (output += text) });
  write(logTo(lines, 'info'), lines);
  lines.flush();
  return output;
}

describe('docs/reference/logs.md: no line is forged, and no terminal is steered', () => {
  describe('by what callers send', () => {
    const data = serviceDataOf('suite');

    it('each line is JSON of the schema, in ASCII, and each request has one', async () => {
      const said = { LOG_LEVEL: 'trace', TRUSTED_PROXIES: '127.0.0.1' };
      const { process, base, ops } = await listeningService({ ...data.settings(), ...said });
      const answers: string[] = [];
      for (const listener of [base, ops]) {
        for (const text of Object.values(steering)) {
          const sent = requestsWith(text, data.key).map((bytes) =>
            send(Number(new URL(listener).port), bytes),
          );
          answers.push(...(await Promise.all(sent)));
        }
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
  });

  for (const [what, text] of Object.entries({
    ...steering,
    'the same as characters': '\u0085\u009b\u2028\u2029\u202e\u2066\u200f\ufeff\u061c\u200b\u007f',
  })) {
    it(`by ${what} in an error, in a setting, in a request`, () => {
      const error = Object.assign(new Error(`it says ${text}`), { code: text });
      const request = {
        requestId: text,
        method: text,
        route: text,
        client: text,
        status: 200,
        milliseconds: 1,
      };
      const output = written((log, lines) => {
        log.error({ event: 'unexpected', requestId: text, err: error }, text);
        log.info({ event: 'starting', settings: { [text]: text } }, 'starting');
        httpLog(log, lines, 'info', () => {}).answered(request satisfies AnsweredRequest);
      });
      expect(output).not.to.match(unshown);
      const lines = linesIn(output);
      expect(lines).to.have.length(3);
      expect(lines[0])
        .to.include({ requestId: text, msg: text })
        .and.to.have.nested.property('err.code', text);
      expect(lines[1].settings).to.deep.equal({ [text]: text });
      expect(lines[2]).to.include({ requestId: text, client: text });
      const shown = readable()(output);
      expect(shown, 'in a terminal').not.to.match(unshown);
      expect(shown).not.to.match(/^\{?"?(?:level|event)/m);
      expect(printable(text)).not.to.match(unshown).and.not.to.include('\n');
    });
  }
});
