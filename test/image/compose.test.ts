import { readFile, writeFile } from 'node:fs/promises';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { expect } from 'chai';
import { parse } from 'yaml';
import { tlsCaller } from '../support/deployment/tls-proxy.ts';
import { named } from '../support/documents/blocks.ts';
import { folderOf } from '../support/process/lives.ts';
import { endAll, outputOf, start } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';
import { eventually } from '../support/promises.ts';
import { read } from '../support/workspace.ts';
import { docker, engine, healthy, images, inspected } from './containers.ts';

const project = 'campaign-mirror-test';
const ours = `${project}/compose`;
const page = 'docs/how-to/compose.md';
const blocks = named(await read(page), 'rehearsed: ');

/** Debian's docker-compose behind the command `docker compose`, without a terminal; `build` does nothing. */
const shim = (compose: string) => `
compose() {
  case $1 in
    build) ;;
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

describe(`compose.yaml works as ${page} says, with every container confined`, function () {
  this.bail(true);
  const folder = folderOf('suite');
  const rehearsed = new Set<string>();
  let settings: Record<string, string>;

  const compose = (...words: string[]) => {
    const all = ['--project-name', project, '--profile', 'tls', '--profile', 'redirector', ...words];
    return outputOf(start(program('docker-compose'), all, settings));
  };
  const labelled = `--filter=label=com.docker.compose`;
  const containersOf = async (service?: string) => {
    const filters = service ? [`${labelled}.service=${service}`] : [];
    return (await docker('ps', '--all', '--quiet', `${labelled}.project=${project}`, ...filters)).split('\n');
  };
  const containerOf = async (service: string) => (await containersOf(service))[0] ?? '';

  /** Runs a block of the page, with files in the folder of the test. */
  async function paste(name: string, replaced: Readonly<Record<string, string>> = {}): Promise<string> {
    rehearsed.add(name);
    let text = blocks.get(name) ?? 'exit 1';
    for (const [old, anew] of Object.entries(replaced)) text = text.replaceAll(old, anew);
    const here = text.replaceAll(/(?<=[<>] )\S+/g, (file) => folder.at(file));
    const script = `${shim(program('docker-compose'))}\n${here}`;
    return outputOf(start('sh', ['-ec', script], settings));
  }
  const stored = async (columns = '*') => {
    const psql = 'psql --username=postgres --no-align --tuples-only mirrors --command'.split(' ');
    const query = `select ${columns} from campaign_mirror.mirrors order by id`;
    return docker('exec', await containerOf('database'), ...psql, query);
  };

  /** The key that was issued. */
  let key = '';
  const path = '/public/v1/mirror/campaign/1/mirror';
  const body = '{"mirror_endpoint":"https://second.example/"}';
  const headers = () => ({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' });
  const call = () =>
    fetch(`http://127.0.0.1:${settings.PORT}${path}`, { method: 'POST', headers: headers(), body });

  before(async () => {
    await docker('tag', images.ours, ours);
    settings = {
      ...engine(),
      ...{ CAMPAIGN_MIRROR_IMAGE: ours, POSTGRES_IMAGE: images.postgres, CADDY_IMAGE: images.caddy },
      PORT: `${await freePort()}`,
      OPS_PORT: `${await freePort()}`,
      TLS_PORT: `127.0.0.1:${await freePort()}`,
      RATE_LIMIT: '1000/1m',
    };
  });
  after(async () => {
    await compose('down', '--volumes');
    await endAll();
  });

  it('only this machine reaches the two ports of the service', async () => {
    await paste('start');
    const ports = await inspected<object>(await containerOf('service'), '.NetworkSettings.Ports');
    expect(ports).to.deep.include({
      '3000/tcp': [{ HostIp: '127.0.0.1', HostPort: settings.PORT }],
      '3001/tcp': [{ HostIp: '127.0.0.1', HostPort: settings.OPS_PORT }],
    });
  });

  it('the proxy shares a network with the service alone, the redirector with the database alone', async () => {
    const { services, networks } = parse(await compose('--profile', 'operator', 'config'));
    const networksOf = (name: string) => Object.keys(services[name].networks ?? {});
    const neighbours = (name: string) =>
      Object.keys(services).filter((other) =>
        networksOf(other).some((one) => networksOf(name).includes(one)),
      );
    expect(neighbours('proxy')).to.have.members(['proxy', 'service']);
    expect(neighbours('redirector')).to.have.members(['redirector', 'database']);
    const { networks: ofService, environment } = services.service;
    const forOperators = networksOf('service').filter((one) =>
      ofService[one]?.aliases?.includes(environment.OPS_HOST),
    );
    expect(forOperators).to.deep.equal(['operators']);
    expect(networksOf('service').filter((one) => !networks[one]?.internal)).to.deep.equal(forOperators);
  });

  it('the commands work, the service has its settings, and a call with the issued key is 200', async () => {
    const shown = await paste('operate');
    expect(shown).to.match(/^ok +database /m);
    [key = ''] = /^cm_\w{49}$/m.exec(shown) ?? [];
    await healthy(await containerOf('service'));
    const { status, headers } = await call();
    expect([status, headers.get('x-ratelimit-limit')]).to.deep.equal([200, '1000']);
  });

  it('no container can write to its image, gain a right, or see the password of another role', async () => {
    await paste('several', { 'mirror.example.com': 'localhost', '3001-3002': '0' });
    const containers = await containersOf();
    expect(containers).to.have.length(7);
    for (const one of containers) {
      const host = await inspected<{ SecurityOpt: string[] }>(one, '.HostConfig');
      expect(host).to.deep.include({ ReadonlyRootfs: true, CapDrop: ['ALL'] });
      expect(host.SecurityOpt).to.include('no-new-privileges:true');
      expect((await inspected<string[]>(one, '.Config.Env')).join('\n')).not.to.match(/PASSWORD=|:\/\/.*@/);
    }
    const find = ['find', '/run/campaign-mirror', '-name', 'password'];
    for (const role of ['service', 'redirector']) {
      const found = await docker('exec', await containerOf(role), ...find);
      expect(found).to.equal(`/run/campaign-mirror/${role}/password`);
    }
  });

  it('two processes answer behind the proxy, and the log has the address of the caller', async () => {
    const both = await containersOf('service');
    for (const container of both) await healthy(container);
    const root = ['cat', '/data/caddy/pki/authorities/local/root.crt'];
    const ca = await docker('exec', await containerOf('proxy'), ...root);
    const port = Number(settings.TLS_PORT?.split(':')[1]);
    const logs = both.map((container) => start('docker', ['logs', '--follow', container], engine()));
    const lines = () =>
      logs.map(({ log }) => log.find(({ requestId, status }) => requestId === 'by-tls' && status === 200));
    await eventually('answers of both', async () => {
      // A new connection each time: Caddy alternates between the processes.
      const caller = tlsCaller({ port, ca }, 'localhost');
      const named = { ...headers(), 'X-Request-Id': 'by-tls' };
      expect((await caller.call({ path, headers: named, body })).status).to.equal(200);
      caller.close();
      expect(lines()).not.to.include(undefined);
    });
    const addresses = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
    const ofProxy = await docker('inspect', '--format', addresses, await containerOf('proxy'));
    for (const line of lines()) expect(ofProxy.split(' ')).not.to.include(line?.client);
    await Promise.all(logs.map((log) => log.stop()));
  });

  it('the redirector redirects visitors and counts their clicks', async () => {
    const { status, headers } = await fetch('http://127.0.0.1:8080/c/1', { redirect: 'manual' });
    expect([status, headers.get('location')]).to.deep.equal([302, 'https://second.example/']);
    // The block `several` was the first visitor.
    await eventually('the clicks', async () => expect(await stored('clicks')).to.match(/^2$/m));
  });

  it('the data outlives the containers, and a backup is restored into an empty installation', async () => {
    const before = await stored();
    await writeFile(folder.at('more.csv'), 'owner_id,name,target_url\n77,more,https://more.example/\n');
    await paste('backup');
    expect(await readFile(folder.at('campaigns.csv'), 'utf8')).to.include('https://second.example/');
    const after = await stored();
    expect(after).to.include('https://more.example/');
    await compose('down');
    await compose('up', '--detach', 'service');
    expect(await stored()).to.equal(after);
    await compose('down', '--volumes');
    await paste('restore');
    expect(await stored()).to.equal(before);
  });

  it('after the steps of the upgrade the service answers', async () => {
    const { version } = JSON.parse(await read('package.json'));
    expect(await paste('upgrade')).to.match(new RegExp(`^${version} \\(commit 0123456789ab\\)$`, 'm'));
    await healthy(await containerOf('service'));
    expect((await call()).status).to.equal(200);
    expect([...rehearsed], 'every block was run').to.have.members([...blocks.keys()]);
  });
});
