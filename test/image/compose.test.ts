import { expect } from 'chai';
import { atEnd, docker, engine, images } from '../support/deployment/container-engine.ts';
import { health, inspected } from '../support/deployment/image-container.ts';
import { TlsCaller } from '../support/deployment/tls-caller.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { endAll, type RunningProcess, start } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';

const project = 'campaign-mirror-test';

describe('compose.yaml', () => {
  let settings: Record<string, string>;

  const compose = (...words: string[]): RunningProcess =>
    start(program('docker-compose'), ['--project-name', project, ...words], settings);
  const composed = async (...words: string[]) => {
    const { code, output, errors } = await atEnd(compose(...words));
    expect(code, `${words.join(' ')}: ${output}${errors}`).to.equal(0);
    return output;
  };
  const up = () => composed('--profile', 'demo', '--profile', 'tls', 'up', '--detach', '--no-color');
  const containerOf = async (service: string) => (await composed('ps', '--all', '--quiet', service)).trim();
  /** The call that the demonstration shows first, made as it stands there. */
  const shownCall = async () => {
    await docker('wait', await containerOf('demo'));
    const [, call = 'false'] =
      /^(?:.*\| )?(curl .*)$/m.exec(await composed('logs', '--no-color', 'demo')) ?? [];
    return call;
  };
  /** The call that the demonstration shows, by TLS through the proxy, each on a connection of its own. */
  const shownCallByTls = async () => {
    const [, path = '', key = ''] = /:\d+(\/\S+) .*Bearer (\w+)/.exec(await shownCall()) ?? [];
    const certificate = '/data/caddy/pki/authorities/local/root.crt';
    const ca = await docker('exec', await containerOf('proxy'), 'cat', certificate);
    const proxy = { port: Number(settings.TLS_PORT?.split(':')[1]), ca };
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const body = '{"mirror_endpoint":"https://second.example/"}';
    return async (requestId: string) => {
      const caller = new TlsCaller(proxy, 'localhost');
      const { status } = await caller.call({
        path,
        headers: { ...headers, 'X-Request-Id': requestId },
        body,
      });
      caller.close();
      return status;
    };
  };
  const answerTo = (call: string) => atEnd(start('sh', ['-c', `${call} --write-out ' %{http_code}'`], {}));

  before(async () => {
    settings = {
      ...engine(),
      CAMPAIGN_MIRROR_IMAGE: images.ours,
      POSTGRES_IMAGE: images.postgres,
      CADDY_IMAGE: images.caddy,
      SERVICE_PORT: `127.0.0.1:${await freePort()}`,
      OPS_PORT: `127.0.0.1:${await freePort()}`,
      TLS_PORT: `127.0.0.1:${await freePort()}`,
    };
    await up();
  });
  after(async () => {
    await composed('--profile', 'demo', '--profile', 'tls', 'down', '--volumes');
    await endAll();
  });

  it('with one command it serves: the call that it shows answers 200', async () => {
    expect((await answerTo(await shownCall())).output).to.match(/^\{"mirror":\{.*\} 200$/);
  });

  it('through the proxy too, by TLS, and the log names the caller', async () => {
    const call = await shownCallByTls();
    expect(await call('by-tls')).to.equal(200);
    const log = start('docker', ['logs', '--follow', await containerOf('service')], engine());
    const line = await log.says(() => log.log.find(({ requestId }) => requestId === 'by-tls'));
    const [address] = Object.values(
      await inspected<Record<string, { IPAddress: string }>>(
        await containerOf('proxy'),
        '.NetworkSettings.Networks',
      ),
    );
    expect(line.client).not.to.equal(address?.IPAddress);
    await log.stop();
  });

  it("the operator's commands run in it", async () => {
    const listed = await composed('run', '--rm', '-T', 'operator', 'campaign', 'list', '--json');
    expect(listed.trim().split('\n')).to.have.length(4);
  });

  it('nothing in it can write to its image, gain a right, or see a password of another', async () => {
    const containers = (
      await docker('ps', '--all', '--quiet', `--filter=label=com.docker.compose.project=${project}`)
    ).split('\n');
    expect(containers).to.have.length(6);
    for (const one of containers) {
      expect(await inspected(one, '.HostConfig.ReadonlyRootfs')).to.equal(true);
      expect(await inspected(one, '.HostConfig.CapDrop')).to.deep.equal(['ALL']);
      expect(await inspected(one, '.HostConfig.SecurityOpt')).to.include('no-new-privileges:true');
      expect((await inspected<string[]>(one, '.Config.Env')).join('\n')).not.to.match(/PASSWORD=|:\/\/.*@/);
    }
    const service = await containerOf('service');
    expect(await docker('exec', service, 'sh', '-c', 'ls /run/campaign-mirror/*')).to.match(/^password$/m);
    expect(await docker('exec', service, 'find', '/run/campaign-mirror', '-name', 'password')).to.equal(
      '/run/campaign-mirror/service/password',
    );
  });

  it('it is stopped and started again: it ends with 0, and what it had is there', async () => {
    const call = await shownCall();
    const service = await containerOf('service');
    await composed('--profile', 'demo', '--profile', 'tls', 'stop');
    expect(await inspected(service, '.State.ExitCode')).to.equal(0);
    await up();
    expect((await answerTo(call)).output).to.match(/ 200$/);
  });

  it('two processes serve behind the proxy, each with a port of its own for operators', async () => {
    const call = await shownCallByTls();
    Object.assign(settings, { SERVICE_PORT: '127.0.0.1:0', OPS_PORT: '127.0.0.1:0' });
    await composed('--profile', 'tls', 'up', '--detach', '--no-color', '--scale', 'service=2');
    const [one = '', other = '', ...more] = (await containerOf('service')).split('\n');
    expect(more).to.deep.equal([]);
    for (const container of [one, other]) await health(container, 'healthy');
    const answeredBy = async (index: number) => {
      const where = await composed('port', `--index=${index}`, 'service', '3001');
      const metrics = await (await fetch(`http://${where.trim()}/metrics`)).text();
      const [, count = '0'] =
        /^campaign_mirror_http_requests_total\{listener="callers".*status="200".*\} (\d+)$/m.exec(metrics) ??
        [];
      return Number(count);
    };
    await eventually('answers of both', async () => {
      const calls = Array.from({ length: 16 }, (_, number) => call(`by-tls-${number}`));
      expect(new Set(await Promise.all(calls))).to.deep.equal(new Set([200]));
      expect(Math.min(await answeredBy(1), await answeredBy(2))).to.be.above(0);
    });
  });
});
