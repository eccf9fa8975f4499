import { expect } from 'chai';
import { atEnd, docker, engine, images } from '../support/deployment/container-engine.ts';
import { inspected } from '../support/deployment/image-container.ts';
import { TlsCaller } from '../support/deployment/tls-caller.ts';
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
    const [, path = '', key = ''] = /:\d+(\/\S+) .*Bearer (\w+)/.exec(await shownCall()) ?? [];
    const proxy = await containerOf('proxy');
    const ca = await docker('exec', proxy, 'cat', '/data/caddy/pki/authorities/local/root.crt');
    const port = Number(settings.TLS_PORT?.split(':')[1]);
    const caller = new TlsCaller({ port, ca }, 'localhost');
    const { status } = await caller.call({
      path,
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'X-Request-Id': 'by-tls',
      },
      body: '{"mirror_endpoint":"https://second.example/"}',
    });
    caller.close();
    expect(status).to.equal(200);
    const log = start('docker', ['logs', '--follow', await containerOf('service')], engine());
    const line = await log.says(() => log.log.find(({ requestId }) => requestId === 'by-tls'));
    const [address] = Object.values(
      await inspected<Record<string, { IPAddress: string }>>(proxy, '.NetworkSettings.Networks'),
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
});
