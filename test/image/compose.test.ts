import { freePort } from '@campaign-mirror/embedded-postgres';
import { expect } from 'chai';
import { tlsCaller } from '../support/deployment/tls-caller.ts';
import { endAll, outputOf, start } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';
import { eventually } from '../support/promises.ts';
import { docker, engine, healthy, images, inspected } from './containers.ts';

const project = 'campaign-mirror-test';

describe('compose.yaml', () => {
  let settings: Record<string, string>;

  const compose = (...words: string[]) => {
    const all = ['--project-name', project, '--profile', 'tls', ...words];
    return outputOf(start(program('docker-compose'), all, settings));
  };
  const withDemo = (...words: string[]) => compose('--profile', 'demo', ...words);
  const up = () => withDemo('up', '--detach', '--no-color');
  const containersOf = async (service: string) =>
    (await compose('ps', '--all', '--quiet', service)).trim().split('\n');
  const containerOf = async (service: string) => (await containersOf(service))[0] ?? '';
  /** The call that the demonstration shows first, made as it stands there. */
  const shownCall = async () => {
    await docker('wait', await containerOf('demo'));
    const said = await compose('logs', '--no-color', 'demo');
    return /^(?:.*\| )?(curl .*)$/m.exec(said)?.[1] ?? 'false';
  };
  const answerTo = async (call: string) =>
    (await start('sh', ['-c', `${call} --write-out ' %{http_code}'`], {}).done()).output;
  /** The same by TLS through the proxy, each on a connection of its own. */
  const shownCallByTls = async () => {
    const [, path = '', key = ''] = /:\d+(\/\S+) .*Bearer (\w+)/.exec(await shownCall()) ?? [];
    const certificate = '/data/caddy/pki/authorities/local/root.crt';
    const ca = await docker('exec', await containerOf('proxy'), 'cat', certificate);
    const port = Number(settings.TLS_PORT?.split(':')[1]);
    return async (requestId: string) => {
      const caller = tlsCaller({ port, ca }, 'localhost');
      const own = { 'Content-Type': 'application/json', 'X-Request-Id': requestId };
      const headers = { Authorization: `Bearer ${key}`, ...own };
      const { status } = await caller.call({
        path,
        headers,
        body: '{"mirror_endpoint":"https://second.example/"}',
      });
      caller.close();
      return status;
    };
  };

  before(async () => {
    settings = {
      ...engine(),
      ...{ CAMPAIGN_MIRROR_IMAGE: images.ours, POSTGRES_IMAGE: images.postgres, CADDY_IMAGE: images.caddy },
      SERVICE_PORT: `127.0.0.1:${await freePort()}`,
      OPS_PORT: `127.0.0.1:${await freePort()}`,
      TLS_PORT: `127.0.0.1:${await freePort()}`,
    };
    await up();
  });
  after(async () => {
    await withDemo('down', '--volumes');
    await endAll();
  });

  it('with one command it serves: the call that it shows answers 200, and the operator’s commands run', async () => {
    expect(await answerTo(await shownCall())).to.match(/^\{"mirror":\{.*\} 200$/);
    const listed = await compose('run', '--rm', '-T', 'operator', 'campaign', 'list', '--json');
    expect(listed.trim().split('\n')).to.have.length(4);
  });

  it('through the proxy too, by TLS, and the log names the caller', async () => {
    const call = await shownCallByTls();
    expect(await call('by-tls')).to.equal(200);
    const log = start('docker', ['logs', '--follow', await containerOf('service')], engine());
    const line = await log.says(() => log.log.find(({ requestId }) => requestId === 'by-tls'));
    const networks = '.NetworkSettings.Networks';
    const [address] = Object.values(
      await inspected<Record<string, { IPAddress: string }>>(await containerOf('proxy'), networks),
    );
    expect(line.client).not.to.equal(address?.IPAddress);
    await log.stop();
  });

  it('nothing in it can write to its image, gain a right, or see a password of another', async () => {
    const label = `--filter=label=com.docker.compose.project=${project}`;
    const containers = (await docker('ps', '--all', '--quiet', label)).split('\n');
    expect(containers).to.have.length(6);
    for (const one of containers) {
      const host = await inspected<{ SecurityOpt: string[] }>(one, '.HostConfig');
      expect(host).to.deep.include({ ReadonlyRootfs: true, CapDrop: ['ALL'] });
      expect(host.SecurityOpt).to.include('no-new-privileges:true');
      expect((await inspected<string[]>(one, '.Config.Env')).join('\n')).not.to.match(/PASSWORD=|:\/\/.*@/);
    }
    const service = await containerOf('service');
    expect(await docker('exec', service, 'find', '/run/campaign-mirror', '-name', 'password')).to.equal(
      '/run/campaign-mirror/service/password',
    );
  });

  it('it is stopped and started again: it ends with 0, and what it had is there', async () => {
    const call = await shownCall();
    await withDemo('stop');
    expect(await inspected(await containerOf('service'), '.State.ExitCode')).to.equal(0);
    await up();
    expect(await answerTo(call)).to.match(/ 200$/);
  });

  it('two processes serve behind the proxy, each with a port of its own for operators', async () => {
    const call = await shownCallByTls();
    Object.assign(settings, { SERVICE_PORT: '127.0.0.1:0', OPS_PORT: '127.0.0.1:0' });
    await compose('up', '--detach', '--no-color', '--scale', 'service=2');
    const both = await containersOf('service');
    expect(both).to.have.length(2);
    for (const container of both) await healthy(container);
    const hasAnswered = async (index: number) => {
      const where = await compose('port', `--index=${index}`, 'service', '3001');
      const metrics = await (await fetch(`http://${where.trim()}/metrics`)).text();
      expect(metrics).to.match(
        /^campaign_mirror_http_requests_total\{listener="callers".*status="200".*\} [1-9]/m,
      );
    };
    await eventually('answers of both', async () => {
      const calls = Array.from({ length: 16 }, (_, number) => call(`by-tls-${number}`));
      expect(new Set(await Promise.all(calls))).to.deep.equal(new Set([200]));
      await hasAnswered(1);
      await hasAnswered(2);
    });
  });
});
