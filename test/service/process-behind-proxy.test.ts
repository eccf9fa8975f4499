import { expect } from 'chai';
import { warnOfPlainHttp } from '../../packages/app/src/http/listening.ts';
import type { Log } from '../../packages/app/src/logging/log.ts';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { endAll, type LogLine, listeningService } from '../support/process/service-process.ts';

const headers = { 'X-Forwarded-For': '192.0.2.66, 203.0.113.9, 10.0.0.1' };

describe('contract: life — a process behind a proxy', () => {
  const data = serviceDataOf('suite');
  afterEach(endAll);

  /** Everything that a service logs that others can reach, and that is asked once. */
  async function logOf(settings: Record<string, string>): Promise<readonly LogLine[]> {
    const { process, base } = await listeningService(data.settings({ HOST: '0.0.0.0', ...settings }));
    expect((await fetch(base, { headers })).status).to.equal(404);
    expect((await process.stop()).code).to.equal(0);
    return process.log;
  }
  const told = (log: readonly LogLine[]) => ({
    warnings: log.filter(({ event }) => event === 'plain-http-exposed').map(({ host }) => host),
    clients: log.filter(({ event }) => event === 'request').map(({ client }) => client),
  });

  it('that it does not know: it warns once, and believes nothing', async () => {
    const log = await logOf({});
    expect(told(log)).to.deep.equal({ warnings: ['0.0.0.0'], clients: ['127.0.0.1'] });
  });

  it('that TRUSTED_PROXIES names: it does not warn, and believes it', async () => {
    const log = await logOf({ TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' });
    expect(told(log)).to.deep.equal({ warnings: [], clients: ['203.0.113.9'] });
  });

  for (const [environment, count] of [
    [{}, 0],
    [{ HOST: 'localhost' }, 0],
    [{ HOST: '127.9.9.9' }, 0],
    [{ HOST: '::1' }, 0],
    [{ HOST: '::' }, 1],
    [{ HOST: '192.0.2.1' }, 1],
    [{ HOST: 'mirror.example.com' }, 1],
    [{ HOST: '192.0.2.1', TRUSTED_PROXIES: '192.0.2.7' }, 0],
  ] as const) {
    it(`${count === 0 ? 'no warning' : 'a warning'} with ${JSON.stringify(environment)}`, () => {
      const read = readSettings(environment);
      if (!('settings' in read)) throw new Error(read.wrong.join('\n'));
      const warnings: object[] = [];
      const log = { warn: (fields: object) => warnings.push(fields) } as Partial<Log> as Log;
      warnOfPlainHttp(read.settings, log);
      expect(warnings).to.have.length(count);
    });
  }

  for (const text of ['proxy.example', '10.0.0.0/33', ',']) {
    it(`TRUSTED_PROXIES=${text} is refused`, () => {
      const read = readSettings({ TRUSTED_PROXIES: text });
      const [line] = 'wrong' in read ? read.wrong : [];
      expect(line).to.include('TRUSTED_PROXIES must be IP addresses, or ranges such as 10.0.0.0/8');
    });
  }
});
