import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Tally } from '../support/deployment/callers.ts';
import { NewDebian } from '../support/deployment/new-debian.ts';
import { blocksOf } from '../support/documents/blocks.ts';
import { type CompanyRegistry, companyRegistry } from '../support/embedded/company-registry.ts';
import { eventually } from '../support/eventually.ts';
import { filesIn, projectFolder } from '../support/workspace.ts';

const page = 'docs/how-to/deploy-with-systemd.md';
const blocks = blocksOf(readFileSync(`${projectFolder}${page}`, 'utf8'));
const isRehearsed = (marker: string) => marker.startsWith('rehearsed: ');
const nameOf = (marker: string) => /^rehearsed: ([a-z]+)/.exec(marker)?.[1] ?? '';
const execute = promisify(execFile);
const versions = { first: '1.0.0', next: '1.1.0' };

/**
 * Nothing is replaced: a new Debian with its archive, its PostgreSQL and its own systemd. One thing is ours: it is
 * downloaded by this machine's network, everything else runs in a network of its own.
 */
describe(`${page}, on a new Debian 12`, function () {
  this.timeout(240_000);
  this.bail(true);
  let shared: string;
  let machine: NewDebian;
  let company: CompanyRegistry;
  let shell: Shell;

  before(async () => {
    shared = await mkdtemp(join(tmpdir(), 'campaign-mirror-repository-'));
    company = await companyRegistry();
    await repository(join(shared, 'repository'));
    machine = await NewDebian.boot(shared);
    shell = new Shell(machine, company.url);
  });
  after(async () => {
    await machine?.end();
    await company?.close();
    await rm(shared, { recursive: true, force: true });
  });

  /** The call of the page once more. */
  async function callIsAnswered(): Promise<void> {
    const text = blocks.find(({ marker = '' }) => nameOf(marker) === 'call')?.text ?? '';
    const call = text.slice(text.indexOf('curl '));
    await eventually('the call to be answered', async () =>
      expect(await shell.paste(`{ ${call}\n} || true`)).to.match(/\n200\n$/),
    );
  }

  const checks: Readonly<Record<string, (output: string) => Promise<void>>> = {
    database: async () => {
      const encoding = 'runuser -u postgres -- psql -Atc "show server_encoding" mirrors';
      expect(await shell.paste(encoding)).to.equal('UTF8\n');
    },
    addresses: async () => {
      const files = await shell.paste("stat -c '%U %a %n' /etc/campaign-mirror /etc/campaign-mirror/*-url");
      expect(files.trim().split('\n')).to.deep.equal([
        'root 700 /etc/campaign-mirror',
        ...['database', 'operator', 'owner', 'redirector'].map(
          (name) => `root 600 /etc/campaign-mirror/${name}-url`,
        ),
      ]);
      const { shown } = shell;
      const passwords = await shell.paste("sed 's/.*:\\(.*\\)@.*/\\1/' /etc/campaign-mirror/*-url");
      for (const password of passwords.trim().split('\n')) {
        expect(password).to.match(/^[\w-]{32}$/);
        expect(shown).not.to.include(password);
      }
      expect(await shell.paste('ls /run')).not.to.include('campaign-mirror');
    },
    start: async (output) => {
      expect(output).to.match(/^(Created symlink \S+ → \S+campaign-mirror@\.service\.\n)$/);
      expect(await shell.paste('systemctl is-enabled campaign-mirror@1')).to.equal('enabled\n');
    },
    ready: async (output) => {
      expect(output).to.match(/\nactive\n\{.*"event":"listening".*\}\n$/);
      const user = 'stat -c %u "/proc/$(systemctl show -P MainPID campaign-mirror@1)"';
      // Of systemd's dynamic users.
      expect(Number(await shell.paste(user))).to.be.within(61_184, 65_519);
    },
    call: async (output) => {
      expect(output).to.match(/"target_url":"https:\/\/second\.example\/\?click=\{click_id\}".*\n200\n$/);
    },
    several: async () => {
      const users =
        'stat -c %u $(systemctl show -P MainPID campaign-mirror@1 campaign-mirror@2 | sed -n s,^[0-9],/proc/\\&,p)';
      const [one, other, ...more] = (await shell.paste(users)).trim().split('\n');
      expect({ one, more }).to.deep.equal({ one: other, more: [] });
    },
    stop: async () => {
      const result = 'systemctl show -P Result campaign-mirror@1 campaign-mirror@2';
      expect((await shell.paste(result)).match(/\w+/g)).to.deep.equal(['success', 'success']);
      await callIsAnswered();
    },
    backup: async () => {
      const file = "stat -c '%U %a' /var/backups/campaign-mirror/*.backup";
      expect(await shell.paste(file)).to.equal('root 600\n');
    },
    upgraded: async (output) => {
      expect(output.split(`"version":"${versions.next}"`)).to.have.length(3);
      await callIsAnswered();
    },
  };

  it('every block is run, or is the reader’s to fill in', () => {
    const others = blocks.filter(({ marker = '' }) => !isRehearsed(marker));
    expect(others.map(({ marker }) => marker)).to.deep.equal(Array(2).fill('shown: yours to fill in'));
    expect(blocks.map(({ marker = '' }) => nameOf(marker))).to.include.members(Object.keys(checks));
  });

  for (const { line, marker = '', text } of blocks.filter(({ marker = '' }) => isRehearsed(marker))) {
    const name = nameOf(marker);
    it(`line ${line}: ${name}`, async () => {
      const VERSION = `v${name.startsWith('upgrade') ? versions.next : versions.first}`;
      const filledIn = { REPOSITORY: '/srv/repository', VERSION };
      const output = await shell.paste(text, filledIn, marker.endsWith(', with a network'));
      await checks[name]?.(output);
    });
  }

  it('one of two processes is killed, then both are restarted in order, and callers are never refused', async () => {
    const rolling = blocks.find(({ marker = '' }) => nameOf(marker) === 'rolling')?.text ?? '';
    const program = '/opt/campaign-mirror/test/support/deployment/callers.ts';
    const journal = 'journalctl --unit callers --output cat';
    await shell.paste(
      `systemd-run --quiet --unit callers /opt/campaign-mirror/node_modules/.bin/node ${program} \\
        http://127.0.0.1:3000 "$CAMPAIGN" "$KEY"`,
    );
    await eventually('a thousand answers', async () =>
      expect(await shell.paste(journal)).to.include('under way'),
    );
    const restarts = 'systemctl show -P NRestarts campaign-mirror@1';
    expect(await shell.paste(restarts)).to.equal('0\n');
    const killed = await shell.paste(`
      PID=$(systemctl show -P MainPID campaign-mirror@1)
      date +%s%3N
      kill -KILL "$PID"
      while [ -d "/proc/$PID" ]; do :; done
      date +%s%3N`);
    const [before = 0, after = 0] = killed.trim().split('\n').map(Number);
    await shell.paste('until curl -fsS http://127.0.0.1:3001/readyz; do sleep 0.1; done');
    expect(await shell.paste(restarts)).to.equal('1\n');
    await shell.paste(rolling);
    await shell.paste('systemctl stop callers');

    const lines = (await shell.paste(journal)).split('\n');
    const { calls, unanswered }: Tally = JSON.parse(lines.find((line) => line.startsWith('{')) ?? '');
    const psql = 'runuser -u postgres -- psql --no-align --tuples-only mirrors --command';
    const history = await shell.paste(`${psql} 'select request_id from campaign_mirror.mirror_history'`);
    const recorded = new Set(history.split('\n'));
    const isLost = new Set(unanswered.map(({ requestId }) => requestId));
    const answered = calls.flatMap((count, caller) =>
      Array.from({ length: count }, (_, number) => `caller-${caller}-${number}`).filter(
        (id) => !isLost.has(id),
      ),
    );
    expect(answered.filter((id) => !recorded.has(id))).to.deep.equal([]);

    for (const { code } of unanswered) expect(code).to.be.oneOf(['ECONNRESET', 'EPIPE']);
    const byTheKill = unanswered.filter(({ from, to }) => from <= after && to >= before);
    const onceEach = new Set(byTheKill.map(({ caller }) => caller));
    expect(byTheKill).to.have.length(onceEach.size);
    // What is left met an idle connection at the moment at which it was closed, and changed nothing.
    const byRestarts = unanswered.filter((one) => !byTheKill.includes(one));
    const others = byRestarts.filter(({ reused, requestId }) => !reused || recorded.has(requestId));
    expect(others).to.deep.equal([]);
  });
});

/** Root's one shell: what a block sets, the next one has. */
class Shell {
  shown = '';
  readonly #machine: NewDebian;
  readonly #registry: string;

  constructor(machine: NewDebian, registry: string) {
    this.#machine = machine;
    this.#registry = registry;
  }

  async paste(
    text: string,
    filledIn: Readonly<Record<string, string>> = {},
    network = false,
  ): Promise<string> {
    const kept = '/root/variables';
    const lines = [
      `set -e\ntouch ${kept}\n. ${kept}\ncd "$PWD"`,
      ...Object.entries(filledIn).map(([name, value]) => `${name}='${value}'`),
      text,
      `set > ${kept}`,
    ];
    const given = { npm_config_registry: this.#registry };
    const output = await this.#machine.run(lines.join('\n'), given, { network });
    this.shown += output;
    return output;
  }
}

/** The project's files as they are, as a repository with two versions. */
async function repository(folder: string): Promise<void> {
  for (const path of await filesIn('')) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(join(projectFolder, path), join(folder, path));
  }
  const git = (...words: string[]) =>
    execute('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], { cwd: folder });
  await git('init', '--quiet');
  for (const version of Object.values(versions)) {
    const file = join(folder, 'package.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/"version": "[^"]*"/, `"version": "${version}"`));
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '--message', version);
    await git('tag', `v${version}`);
  }
}
