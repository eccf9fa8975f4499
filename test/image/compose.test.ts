import { readFile, writeFile } from 'node:fs/promises';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { expect } from 'chai';
import { parse } from 'yaml';
import { tlsCaller } from '../support/deployment/tls-proxy.ts';
import { blocksOf } from '../support/documents/blocks.ts';
import { folderOf } from '../support/process/lives.ts';
import { endAll, outputOf, start } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';
import { eventually } from '../support/promises.ts';
import { projectFolder } from '../support/workspace.ts';
import { docker, engine, healthy, images, inspected } from './containers.ts';

const project = 'campaign-mirror-test';
const page = 'docs/how-to/compose.md';
const blocks = blocksOf(await readFile(`${projectFolder}${page}`, 'utf8'));

/** Debian's compose is a program of its own, which needs to be told that there is no terminal; nothing is built here. */
const shim = (compose: string, next: string) => `
compose() {
  case $1 in
    build) docker tag ${next} "$CAMPAIGN_MIRROR_IMAGE" ;;
    run | exec) word=$1; shift; case " $* " in *' -T '*) ;; *) set -- -T "$@" ;; esac
      ${compose} --project-name ${project} "$word" "$@" ;;
    *) ${compose} --project-name ${project} "$@" ;;
  esac
}
docker() {
  if [ "$1" = compose ]; then shift; else command docker "$@"; return; fi
  case $1 in --profile) profile="$1 $2"; shift 2 ;; *) profile= ;; esac
  compose $profile "$@"
}`;

describe(`compose.yaml, as ${page} has it`, function () {
  this.bail(true);
  const folder = folderOf('suite');
  let settings: Record<string, string>;
  const ours = `${project}/compose`;

  const compose = (...words: string[]) => {
    const all = ['--project-name', project, '--profile', 'tls', '--profile', 'redirector', ...words];
    return outputOf(start(program('docker-compose'), all, settings));
  };
  const labelled = `--filter=label=com.docker.compose`;
  const containersOf = async (service: string) => {
    const filters = [`${labelled}.project=${project}`, `${labelled}.service=${service}`];
    return (await docker('ps', '--all', '--quiet', ...filters)).split('\n');
  };
  const containerOf = async (service: string) => (await containersOf(service))[0] ?? '';

  /** What a block of the page shows, without the host names and ports that are others' here. */
  async function paste(name: string, replaced: Readonly<Record<string, string>> = {}): Promise<string> {
    const block = blocks.find(({ marker }) => marker === `rehearsed: ${name}`);
    const text = Object.entries(replaced).reduce(
      (now, [old, anew]) => now.replaceAll(old, anew),
      block?.text ?? `exit 1 # the page has no block ${name}`,
    );
    const here = text.replaceAll(/(?<=[<>] )\S+/g, (file) => folder.at(file));
    const script = `${shim(program('docker-compose'), `${ours}:next`)}\n${here}`;
    return outputOf(start('sh', ['-ec', script], settings));
  }
  const operator = (...words: string[]) => {
    const all = ['--project-name', project, 'run', '--rm', '-T', 'operator', ...words];
    return start(program('docker-compose'), all, settings);
  };
  const psql = 'psql --username=postgres --no-align --tuples-only mirrors --command'.split(' ');
  const stored = async (columns = '*') => {
    const query = `select ${columns} from campaign_mirror.mirrors order by id`;
    return docker('exec', await containerOf('database'), ...psql, query);
  };

  /** A call with the key that was issued. */
  let ownCall = '';
  const answerTo = async (call: string) =>
    (await start('sh', ['-c', `${call} --write-out ' %{http_code}'`], {}).done()).output;
  /** The same by TLS through the proxy, each on a connection of its own. */
  async function callByTls() {
    const [, path = '', key = ''] = /:\d+(\/\S+) .*Bearer (\w+)/.exec(ownCall) ?? [];
    const certificate = '/data/caddy/pki/authorities/local/root.crt';
    const ca = await docker('exec', await containerOf('proxy'), 'cat', certificate);
    const port = Number(settings.TLS_PORT?.split(':')[1]);
    return async (requestId: string) => {
      const caller = tlsCaller({ port, ca }, 'localhost');
      const own = { 'Content-Type': 'application/json', 'X-Request-Id': requestId };
      const headers = { Authorization: `Bearer ${key}`, ...own };
      const body = '{"mirror_endpoint":"https://second.example/"}';
      const { status } = await caller.call({ path, headers, body });
      caller.close();
      return status;
    };
  }

  before(async () => {
    await docker('tag', images.ours, ours);
    const next = `printf 'FROM ${images.ours}\\nLABEL next=1\\n' | docker build --quiet --tag ${ours}:next -`;
    await outputOf(start('sh', ['-c', next], engine()));
    settings = {
      ...engine(),
      ...{ CAMPAIGN_MIRROR_IMAGE: ours, POSTGRES_IMAGE: images.postgres, CADDY_IMAGE: images.caddy },
      PORT: `${await freePort()}`,
      OPS_PORT: `${await freePort()}`,
      TLS_PORT: `127.0.0.1:${await freePort()}`,
      MIRROR_HOST_DENYLIST: 'denied.example, *.denied.example',
      RATE_LIMIT: '1000/1m',
    };
  });
  after(async () => {
    await compose('down', '--volumes');
    await endAll();
  });

  it('it starts; both ports are this machine’s alone', async () => {
    await paste('start');
    const ports = await inspected<object>(await containerOf('service'), '.NetworkSettings.Ports');
    expect(ports).to.deep.include({
      '3000/tcp': [{ HostIp: '127.0.0.1', HostPort: settings.PORT }],
      '3001/tcp': [{ HostIp: '127.0.0.1', HostPort: settings.OPS_PORT }],
    });
  });

  it('as it is rendered, proxy and redirector meet what they call alone, in networks where nobody answers operators', async () => {
    const { services, networks } = parse(await compose('--profile', 'operator', 'config'));
    const of = (name: string) => Object.keys(services[name].networks ?? {});
    const meets = (name: string) =>
      Object.keys(services).filter((other) => of(other).some((one) => of(name).includes(one)));
    expect(meets('proxy')).to.have.members(['proxy', 'service']);
    expect(meets('redirector')).to.have.members(['redirector', 'database']);
    const { networks: ofService, environment } = services.service;
    const answering = of('service').filter((one) => ofService[one]?.aliases?.includes(environment.OPS_HOST));
    expect(answering).to.deep.equal(['operators']);
    // The service has one way to the host and outwards, to which its ports are published.
    expect(of('service').filter((one) => !networks[one]?.internal)).to.deep.equal(answering);
  });

  it('it is operated, by the settings of the service, and a call with the key that was issued answers 200', async () => {
    const shown = await paste('operate');
    expect(shown).to.match(/^ok +database /m);
    expect(shown).to.match(/^ +1$/m);
    const [key] = /^cm_\w{49}$/m.exec(shown) ?? [];
    await healthy(await containerOf('service'));
    const call = `curl -sS -X POST http://127.0.0.1:${settings.PORT}/public/v1/mirror/campaign/1/mirror -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`;
    ownCall = `${call} -d '{"mirror_endpoint":"https://second.example/"}'`;
    expect(await answerTo(ownCall)).to.match(/^\{"mirror":\{.*\} 200$/);
    expect(await answerTo(`${call} -i -d '{}'`)).to.match(/^X-RateLimit-Limit: 1000\r$/m);
    await outputOf(operator('campaign', 'create', '--owner', '42'));
    const words = 'mirror create 2 --target-url https://a.denied.example/';
    const denied = await operator(...words.split(' ')).done();
    expect(denied).to.include({ code: 1 });
    expect(denied.errors).to.include('the host denylist contains');
  });

  it('nothing in it can write to its image, gain a right, or see a password of another', async () => {
    await paste('several', { 'mirror.example.com': 'localhost', '3001-3002': '0' });
    const containers = (await docker('ps', '--all', '--quiet', `${labelled}.project=${project}`)).split('\n');
    expect(containers).to.have.length(7);
    for (const one of containers) {
      const host = await inspected<{ SecurityOpt: string[] }>(one, '.HostConfig');
      expect(host).to.deep.include({ ReadonlyRootfs: true, CapDrop: ['ALL'] });
      expect(host.SecurityOpt).to.include('no-new-privileges:true');
      expect((await inspected<string[]>(one, '.Config.Env')).join('\n')).not.to.match(/PASSWORD=|:\/\/.*@/);
    }
    const find = ['find', '/run/campaign-mirror', '-name', 'password'];
    for (const role of ['service', 'redirector']) {
      const seen = await docker('exec', await containerOf(role), ...find);
      expect(seen).to.equal(`/run/campaign-mirror/${role}/password`);
    }
  });

  it('two processes serve behind the proxy, each with a port of its own for operators, and the log names the caller', async () => {
    const both = await containersOf('service');
    expect(both).to.have.length(2);
    for (const container of both) await healthy(container);
    const call = await callByTls();
    const hasAnswered = async (container: string) => {
      const where = await docker('port', container, '3001');
      const metrics = await (await fetch(`http://${where}/metrics`)).text();
      expect(metrics).to.match(/^campaign_mirror_http_requests_total\{.*status="200".*\} [1-9]/m);
    };
    await eventually('answers of both', async () => {
      const calls = Array.from({ length: 16 }, (_, number) => call(`by-tls-${number}`));
      expect(new Set(await Promise.all(calls))).to.deep.equal(new Set([200]));
      for (const container of both) await hasAnswered(container);
    });
    const log = start('docker', ['logs', '--follow', both[0] ?? ''], engine());
    const line = await log.says(() => log.log.find(({ requestId }) => /^by-tls-/.test(`${requestId}`)));
    const addresses = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
    const ofProxy = await docker('inspect', '--format', addresses, await containerOf('proxy'));
    expect(ofProxy.split(' ')).not.to.include(line.client);
    await log.stop();
  });

  it('neither proxy nor redirector reaches the port for operators, by any name, of either process', async () => {
    const probe = `
      import { lookup } from 'node:dns/promises';
      import { once } from 'node:events';
      import { connect } from 'node:net';
      await Promise.all(['service', 'operators', 'database'].map(async (name) => {
        for (const { address } of await lookup(name, { all: true }).catch(() => []))
          for (const port of [3000, 3001, 5432])
            await once(connect(port, address), 'connect').then(() => console.log(name + ':' + port), () => {});
      }));
      process.exit();`;
    const reached = async (name: string) => {
      const network = `--network=container:${await containerOf(name)}`;
      const words = ['node', '--input-type=module', '--eval', probe];
      return (await docker('run', '--rm', network, images.ours, ...words)).split('\n');
    };
    const both = await Promise.all([reached('proxy'), reached('redirector')]);
    expect(both).to.deep.equal([['service:3000', 'service:3000'], ['database:5432']]);
  });

  it('the redirector sends visitors on, and counts them', async () => {
    const [, campaign] = /campaign\/(\d+)\/mirror/.exec(ownCall) ?? [];
    const { status, headers } = await fetch(`http://127.0.0.1:8080/c/${campaign}`, { redirect: 'manual' });
    expect([status, headers.get('location')]).to.deep.equal([302, 'https://second.example/']);
    // One more was counted when the redirector was first called.
    await eventually('the clicks', async () => expect(await stored('clicks')).to.match(/^2$/m));
  });

  let had = '';
  it('what it has is there after it was stopped, removed and started again', async () => {
    had = await stored();
    await writeFile(folder.at('more.csv'), 'owner_id,name,target_url\n77,more,https://more.example/\n');
    await paste('backup');
    expect(await readFile(folder.at('campaigns.csv'), 'utf8')).to.include('https://second.example/');
    const now = await stored();
    expect(now).to.include('https://more.example/');
    await compose('down');
    await compose('up', '--detach', 'service');
    expect(await stored()).to.equal(now);
  });

  it('a backup is restored into an installation without data', async () => {
    await compose('down', '--volumes');
    await paste('restore');
    expect(await stored()).to.equal(had);
  });

  it('it is upgraded: the service runs from the new image', async () => {
    const { version } = JSON.parse(await readFile(`${projectFolder}package.json`, 'utf8'));
    expect(await paste('upgrade')).to.match(new RegExp(`^${version} \\(commit 0123456789ab\\)$`, 'm'));
    expect(await inspected(await containerOf('service'), '.Config.Labels')).to.include({ next: '1' });
    await healthy(await containerOf('service'));
    expect(await answerTo(ownCall)).to.match(/ 200$/);
  });

  it('every block was run', () => {
    const names = blocks.flatMap(({ marker }) => /^rehearsed: (.*)/.exec(marker)?.slice(1) ?? []);
    expect(names).to.have.members(['start', 'operate', 'several', 'backup', 'restore', 'upgrade']);
  });
});
