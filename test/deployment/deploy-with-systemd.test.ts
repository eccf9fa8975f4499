import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { blocksOf } from '../support/documents/blocks.ts';
import { type CompanyRegistry, companyRegistry } from '../support/embedded/company-registry.ts';
import { folderOf } from '../support/process/lives.ts';
import { eventually } from '../support/promises.ts';
import { copyProject, projectFolder } from '../support/workspace.ts';
import { newDebian } from './new-debian.ts';

const page = 'docs/how-to/deploy-with-systemd.md';
const blocks = blocksOf(readFileSync(`${projectFolder}${page}`, 'utf8')).map(({ marker = '', ...block }) => ({
  ...{ ...block, marker, name: /^rehearsed: ([a-z]+)/.exec(marker)?.[1] ?? '' },
}));
/** The call of the page without the lines that prepare it. */
const shownCall = blocks.find(({ name }) => name === 'call')?.text.replace(/^.*?(?=curl )/s, '');
/** Run before each proxy's block: a name and a certificate that need no authority; and one proxy at a time. */
const proxies: Readonly<Record<string, string>> = {
  nginx: `NAME=localhost CERTIFICATE=/root/localhost.pem CERTIFICATE_KEY=/root/localhost.key
    openssl req -x509 -newkey rsa:2048 -noenc -days 2 -subj /CN=localhost \\
      -out $CERTIFICATE -keyout $CERTIFICATE_KEY 2> /dev/null`,
  caddy: 'NAME=localhost; systemctl disable --now nginx',
};
const versions = { first: '1.0.0', next: '1.1.0' };

/**
 * Nothing is simulated: a new Debian with its archive, its PostgreSQL and its systemd. It downloads through the network
 * of this machine; everything else runs in its own network.
 */
describe(`${page} works on a bare Debian 12, from top to bottom`, function () {
  this.bail(true);
  const shared = folderOf('suite');
  let machine: Awaited<ReturnType<typeof newDebian>>;
  let company: CompanyRegistry;
  let shown = '';

  before(async () => {
    company = await companyRegistry();
    await repository(shared.at('repository'));
    machine = await newDebian(shared.path);
  });
  after(async () => {
    await machine?.end();
    await company?.close();
  });

  /** Runs a text in root's shell; variables are kept for the next one. */
  async function paste(text: string, filledIn = '', network = false): Promise<string> {
    const kept = '/root/variables';
    const lines = [`set -e\ntouch ${kept}\n. ${kept}\ncd "$PWD"`, filledIn, text, `set > ${kept}`];
    const output = await machine.run(lines.join('\n'), { npm_config_registry: company.url }, network);
    shown += output;
    return output;
  }
  const wordsOf = async (text: string) => (await paste(text)).trim().split(/\s+/);

  const callIsAnswered = () =>
    eventually('the call to be answered', async () => {
      expect(await paste(`{ ${shownCall}\n} || true`)).to.match(/\n200\n$/);
    });

  /** Runs a text while eight callers call, each call on a new connection. */
  const underLoad = (text: string) => `
    for caller in 1 2 3 4 5 6 7 8; do
      until [ -e /root/enough ]; do ${shownCall} 2>> /root/faults | tail -n 1; done > "/root/codes-$caller" &
    done
    until [ "$(cat /root/codes-* | wc -l)" -ge 50 ]; do sleep 0.1; done
    ${text}
    touch /root/enough
    wait
    echo codes: $(sort -u /root/codes-*)
    echo faults: $(grep -o '^curl: ([0-9]*)' /root/faults | sort -u)`;

  /** A call through the proxy has one id in both logs, and port 80 is closed. `logged` counts the proxy's lines. */
  const isBehind = async (logged: string) => {
    const toProxy = '--insecure --dump-header /root/headers "https://localhost';
    const call = shownCall?.replace('"http://127.0.0.1:3000', toProxy);
    await eventually('the proxy to answer', async () =>
      expect(
        await paste(`{ ${call}\n} || true
          ID=$(tr -d '\\r' < /root/headers | sed -n 's/^x-request-id: //ip')`),
      ).to.match(/\n200\n$/),
    );
    await eventually('lines in both logs', async () =>
      expect(
        await paste(`
          { ${logged}; } || true
          journalctl --unit campaign-mirror@1 --output cat | grep -c "\\"requestId\\":\\"$ID\\"" || true
          curl -sS http://localhost/ || echo "$?"`),
      ).to.match(/^[1-9]\d*\n[1-9]\d*\n.*\n7\n$/),
    );
  };

  const checks: Readonly<Record<string, (output: string) => Promise<void>>> = {
    addresses: async () => {
      const files = await paste("cd /etc/campaign-mirror && stat -c '%U %a %n' . *-url");
      const urls = ['database', 'operator', 'owner', 'redirector'].map((role) => `root 600 ${role}-url`);
      expect(files.trim().split('\n')).to.deep.equal(['root 700 .', ...urls]);
      const before = shown;
      for (const password of await wordsOf("sed 's/.*:\\(.*\\)@.*/\\1/' /etc/campaign-mirror/*-url")) {
        expect(password).to.match(/^[\w-]{32}$/);
        expect(before).not.to.include(password);
      }
      expect(await paste('ls /run')).not.to.include('campaign-mirror');
    },
    start: async () => {
      expect(await paste('systemctl is-enabled campaign-mirror@1')).to.equal('enabled\n');
      // In tenths: systemd 252 calls it OK.
      await paste('systemd-analyze security --no-pager --threshold=15 campaign-mirror@1');
      const unit = await paste('systemctl cat campaign-mirror@1');
      const secondsOf = (setting: string) => Number(unit.match(`${setting}=(\\d+)s`)?.[1]);
      const needed = secondsOf('SHUTDOWN_DELAY') + secondsOf('SHUTDOWN_TIMEOUT') + 30;
      expect(secondsOf('TimeoutStopSec')).to.be.at.least(needed);
    },
    ready: async (output) => {
      expect(output).to.match(/\nactive\n\{.*"event":"listening".*\}\n$/);
      const status = await paste('cat "/proc/$(systemctl show -P MainPID campaign-mirror@1)/status"');
      const [, user] = /^Uid:\s+(\d+)\s/m.exec(status) ?? [];
      expect(Number(user), 'a dynamic user of systemd').to.be.within(61_184, 65_519);
    },
    call: async (output) => {
      expect(output).to.match(/"target_url":"https:\/\/second\.example\/\?click=\{click_id\}".*\n200\n$/);
    },
    nginx: () =>
      isBehind('grep -c -F " $ID" /var/log/nginx/campaign-mirror.log; ! grep -F "$KEY" /var/log/nginx/*'),
    caddy: () =>
      isBehind(
        'journalctl --unit caddy --output cat | grep -c "\\"X-Request-Id\\":\\[\\"$ID";' +
          ' ! journalctl --unit caddy | grep -F "$KEY"',
      ),
    rolling: async (output) => {
      // No call is refused. A connection may be closed at the moment at which its caller sends.
      expect(output).to.match(/^codes: (000 )?200$/m);
      expect(output).to.match(/^faults:( curl: \((52|56)\))*$/m);
    },
    timers: async () => {
      await paste('systemd-analyze verify campaign-mirror-backup.service campaign-mirror-prune.service');
      const next = await paste('systemctl list-timers --no-pager "campaign-mirror-*"');
      expect(next).to.include('backup.timer').and.to.include('prune.timer');
      const folder = '/var/backups/campaign-mirror';
      // A clock that is years ahead makes all backups old: at most two of them are removed.
      const allowed = (may: boolean) =>
        `runuser -u postgres -- psql --quiet --command='alter database mirrors allow_connections ${may}'`;
      await paste(`
        rm ${folder}/*
        for number in 1 2 3 4; do touch -d '3 years ago' ${folder}/old-$number.dump; done
        touch ${folder}/unfinished
        ${allowed(false)}
        ! systemctl start campaign-mirror-backup
        ${allowed(true)}
        ! ls ${folder}/unfinished
        systemctl start campaign-mirror-backup campaign-mirror-prune`);
      expect(await wordsOf(`ls -d ${folder}/old-*`)).to.have.length(2);
      expect(await paste(`rm ${folder}/old-*; stat -c '%U %a' ${folder}/*`)).to.equal('postgres 600\n');
      expect(await paste(`pg_restore --list ${folder}/*.dump`)).to.include(
        'TABLE DATA campaign_mirror mirror_history',
      );
    },
    upgraded: async (output) => {
      expect(output.split(`"version":"${versions.next}"`)).to.have.length(3);
      await callIsAnswered();
    },
  };

  it('the page has every block that is checked', () => {
    expect(blocks.map(({ name }) => name)).to.include.members(Object.keys(checks));
  });

  for (const { line, marker, name, text } of blocks.filter(({ name }) => name !== ''))
    it(`the block ${name} in line ${line} works`, async () => {
      const version = name.startsWith('upgrade') ? versions.next : versions.first;
      const filledIn = `REPOSITORY=/srv/repository\nVERSION=v${version}\n${name in proxies ? proxies[name] : ''}`;
      const whole = name === 'rolling' ? underLoad(text) : text;
      const output = await paste(whole, filledIn, marker.endsWith(', with a network'));
      await checks[name]?.(output);
    });

  it('a process stops cleanly, does not restart with a wrong setting, and restarts after a kill', async () => {
    const result = await paste(`
      cp -p /etc/campaign-mirror/environment /root/kept
      echo POOL_SIZE=many >> /etc/campaign-mirror/environment
      systemctl stop campaign-mirror@2
      systemctl show -P Result campaign-mirror@2
      systemctl start campaign-mirror@2
      until [ "$(systemctl show -P ActiveState campaign-mirror@2)" = failed ]; do sleep 0.05; done
      systemctl show -P NRestarts campaign-mirror@2
      systemctl show -P ExecMainStatus campaign-mirror@2
      journalctl --unit campaign-mirror@2 --output cat --no-pager | grep POOL_SIZE
      cp -p /root/kept /etc/campaign-mirror/environment`);
    expect(result).to.match(/^success\n0\n2\nPOOL_SIZE must be .*\n$/);
    const restarts = await paste(`
      MAIN=$(systemctl show -P MainPID campaign-mirror@1)
      kill -KILL "$MAIN"
      until [ "$(systemctl show -P MainPID campaign-mirror@1)" != "$MAIN" ]; do sleep 0.05; done
      until curl -fs http://127.0.0.1:3001/readyz > /dev/null; do sleep 0.05; done
      for limit in NRestarts StartLimitIntervalUSec LogRateLimitIntervalUSec; do
        systemctl show -P $limit campaign-mirror@1
      done`);
    expect(restarts, 'no limit to restarts or lines of the log').to.equal('1\n0\n0\n');
    await callIsAnswered();
  });
});

/** Makes a repository of the project's files, with two versions. */
async function repository(folder: string): Promise<void> {
  await copyProject(folder);
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], {
      cwd: folder,
    });
  git('init', '--quiet');
  // The service reports the version of this package.
  const file = join(folder, 'packages/app/package.json');
  for (const version of Object.values(versions)) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/"version": "[^"]*"/, `"version": "${version}"`));
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', version);
    git('tag', `v${version}`);
  }
}
