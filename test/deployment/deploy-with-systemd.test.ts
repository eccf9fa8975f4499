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
/** The call of the page without what is made for it. */
const shownCall = blocks.find(({ name }) => name === 'call')?.text.replace(/^.*?(?=curl )/s, '');
/** What comes before each: a name and a certificate that need nobody else; and one proxy at a time. */
const proxies: Readonly<Record<string, string>> = {
  nginx: `NAME=localhost CERTIFICATE=/root/localhost.pem CERTIFICATE_KEY=/root/localhost.key
    openssl req -x509 -newkey rsa:2048 -noenc -days 2 -subj /CN=localhost -out $CERTIFICATE -keyout $CERTIFICATE_KEY 2> /dev/null`,
  caddy: 'NAME=localhost; systemctl disable --now nginx',
};
const versions = { first: '1.0.0', next: '1.1.0' };

/**
 * Nothing is replaced: a new Debian with its archive, its PostgreSQL and its own systemd. One thing is ours: it is
 * downloaded by this machine's network, everything else runs in a network of its own.
 */
describe(`${page}, on a new Debian 12`, function () {
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

  /** Into root's one shell: what a block sets, the next one has. */
  async function paste(text: string, filledIn = '', network = false): Promise<string> {
    const kept = '/root/variables';
    const lines = [`set -e\ntouch ${kept}\n. ${kept}\ncd "$PWD"`, filledIn, text, `set > ${kept}`];
    const output = await machine.run(lines.join('\n'), { npm_config_registry: company.url }, network);
    shown += output;
    return output;
  }
  const wordsOf = async (text: string) => (await paste(text)).trim().split(/\s+/);

  /** The call of the page once more. */
  const callIsAnswered = () =>
    eventually('the call to be answered', async () => {
      expect(await paste(`{ ${shownCall}\n} || true`)).to.match(/\n200\n$/);
    });

  /** While eight callers call, each call on a connection of its own. */
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

  /** A call through the proxy, which names itself or not, is in the proxy's log and the service's; port 80 is nobody's. */
  const isBehind = async (logged: string) => {
    const call = shownCall?.replace(
      '"http://127.0.0.1:3000',
      '--insecure --dump-header /root/headers "https://localhost',
    );
    for (const named of ['', ' -H "X-Request-Id: named"']) {
      await eventually('the proxy to answer', async () =>
        expect(
          await paste(`
            : > /root/headers
            { ${call?.trim()}${named}
            } || true
            ID=$(tr -d '\\r' < /root/headers | sed -n 's/^x-request-id: //ip')`),
        ).to.match(/\n200\n$/),
      );
      // Lines of a log come some time after the answer.
      await eventually('both logs to have it', async () =>
        expect(
          await paste(`
            { ${logged}; } || true
            journalctl --unit campaign-mirror@1 --output cat | grep -c "\\"requestId\\":\\"$ID\\"" || true
            curl -sS http://localhost/ || echo "$?"`),
        ).to.match(/^[1-9]\d*\n[1-9]\d*\n.*\n7\n$/),
      );
    }
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
    start: async (output) => {
      expect(output).to.match(/^(Created symlink \S+ → \S+campaign-mirror@\.service\.\n)$/);
      expect(await paste('systemctl is-enabled campaign-mirror@1')).to.equal('enabled\n');
      // In tenths, of what systemd 252 calls OK.
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
      // Of systemd's dynamic users.
      expect(Number(user)).to.be.within(61_184, 65_519);
    },
    command: async () => {
      const lines = [
        'MIRROR_HOST_DENYLIST=denied.example, *.denied.example',
        'JWT_AUDIENCE=a&b;c$HOME%h{g}=`',
      ];
      await paste(`cp -p /etc/campaign-mirror/environment /root/kept
        cat > /etc/campaign-mirror/environment <<'EOF'\n# it is said\n${lines.join('\n')}\nEOF`);
      const bySystemd =
        'systemd-run --quiet --wait --pipe -p EnvironmentFile=/etc/campaign-mirror/environment env';
      for (const line of lines) expect(await paste(bySystemd)).to.include(`\n${line}\n`);
      const doctor = await paste('campaign-mirror doctor || true');
      for (const line of lines) expect(doctor).to.include(line);
    },
    call: async (output) => {
      const denied = await paste(
        `cp -p /root/kept /etc/campaign-mirror/environment
        sed -i 's/^MIRROR_HOST_DENYLIST=.*/MIRROR_HOST_DENYLIST=other.example, denied.example/' /etc/campaign-mirror/environment
        ANOTHER=$(campaign-mirror campaign create --owner 42 --json | grep -o '[0-9]*')
        ! campaign-mirror mirror create "$ANOTHER" --target-url https://denied.example/
        cp -p /root/kept /etc/campaign-mirror/environment`,
      );
      expect(denied).to.include('which the host denylist contains');
      expect(output).to.match(/"target_url":"https:\/\/second\.example\/\?click=\{click_id\}".*\n200\n$/);
    },
    nginx: () =>
      isBehind('grep -c -F " $ID" /var/log/nginx/campaign-mirror.log; ! grep -F "$KEY" /var/log/nginx/*'),
    caddy: () =>
      isBehind(
        'journalctl --unit caddy --output cat | grep -c "\\"X-Request-Id\\":\\[\\"$ID"; ! journalctl --unit caddy | grep -F "$KEY"',
      ),
    rolling: async (output) => {
      // Nobody is refused. There may be one whose connection was closed at the moment at which it sent its request.
      expect(output).to.match(/^codes: (000 )?200$/m);
      expect(output).to.match(/^faults:( curl: \((52|56)\))*$/m);
    },
    timers: async () => {
      await paste('systemd-analyze verify campaign-mirror-backup.service campaign-mirror-prune.service');
      for (const unit of ['backup', 'prune'])
        await paste(`systemd-analyze security --no-pager --threshold=15 campaign-mirror-${unit}`);
      const next = await paste('systemctl list-timers --no-pager "campaign-mirror-*"');
      expect(next).to.include('backup.timer').and.to.include('prune.timer');
      const folder = "stat -c '%U %a' /var/backups/campaign-mirror/*";
      expect(await paste(folder)).to.equal('postgres 600\n');
      await paste(`
        rm /var/backups/campaign-mirror/*
        touch -d '20 days ago' /var/backups/campaign-mirror/old.dump
        systemctl start campaign-mirror-backup campaign-mirror-prune`);
      expect(await paste(folder)).to.equal('postgres 600\n');
      expect(await paste('pg_restore --list /var/backups/campaign-mirror/*.dump')).to.include(
        'TABLE DATA campaign_mirror mirror_history',
      );
      // As on a disk that was full; then after a boot with a clock that is years ahead.
      const allowed = (may: boolean) =>
        `runuser -u postgres -- psql --quiet --command='alter database mirrors allow_connections ${may}'`;
      await paste(`
        touch /var/backups/campaign-mirror/unfinished
        ${allowed(false)}
        ! systemctl start campaign-mirror-backup
        ${allowed(true)}
        ls /var/backups/campaign-mirror > /root/after-failure
        for number in 1 2 3 4; do touch -d '3 years ago' /var/backups/campaign-mirror/old-$number.dump; done
        systemctl start campaign-mirror-backup`);
      expect(await paste('cat /root/after-failure')).not.to.include('unfinished');
      expect(await wordsOf('ls -d /var/backups/campaign-mirror/old-*')).to.have.length(2);
      const results = 'systemctl show -P Result campaign-mirror-backup campaign-mirror-prune';
      expect(await wordsOf(results)).to.deep.equal(['success', 'success']);
    },
    upgraded: async (output) => {
      expect(output.split(`"version":"${versions.next}"`)).to.have.length(3);
      await callIsAnswered();
    },
  };

  it('every block is run, or is the reader’s to fill in', () => {
    const others = blocks.filter(({ name }) => name === '').map(({ marker }) => marker);
    expect(others).to.deep.equal(Array(2).fill('shown: yours to fill in'));
    expect(blocks.map(({ name }) => name)).to.include.members(Object.keys(checks));
  });

  for (const { line, marker, name, text } of blocks.filter(({ name }) => name !== ''))
    it(`line ${line}: ${name}`, async () => {
      const version = name.startsWith('upgrade') ? versions.next : versions.first;
      const filledIn = `REPOSITORY=/srv/repository\nVERSION=v${version}\n${name in proxies ? proxies[name] : ''}`;
      const whole = name === 'rolling' ? underLoad(text) : text;
      const output = await paste(whole, filledIn, marker.endsWith(', with a network'));
      await checks[name]?.(output);
    });

  it('a process that is stopped ends in order; with a wrong setting it is not started again, and is when the setting is right', async () => {
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
      cp -p /root/kept /etc/campaign-mirror/environment
      systemctl restart campaign-mirror@2
      until curl -fs http://127.0.0.1:3002/readyz > /dev/null; do sleep 0.05; done`);
    expect(result).to.match(/^success\n0\n2\nPOOL_SIZE must be .*\n$/);
  });

  it('a process that is killed is started again, however often; journald keeps every line of its log', async () => {
    const restarts = await paste(`
      MAIN=$(systemctl show -P MainPID campaign-mirror@1)
      kill -KILL "$MAIN"
      until [ "$(systemctl show -P MainPID campaign-mirror@1)" != "$MAIN" ]; do sleep 0.05; done
      until curl -fs http://127.0.0.1:3001/readyz > /dev/null; do sleep 0.05; done
      systemctl show -P NRestarts campaign-mirror@1
      systemctl show -P StartLimitIntervalUSec campaign-mirror@1
      systemctl show -P LogRateLimitIntervalUSec campaign-mirror@1`);
    expect(restarts).to.equal('1\n0\n0\n');
    await callIsAnswered();
  });
});

/** The project's files as they are, as a repository with two versions. */
async function repository(folder: string): Promise<void> {
  await copyProject(folder);
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], {
      cwd: folder,
    });
  git('init', '--quiet');
  // The service says that of its own package.
  const file = join(folder, 'packages/app/package.json');
  for (const version of Object.values(versions)) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/"version": "[^"]*"/, `"version": "${version}"`));
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', version);
    git('tag', `v${version}`);
  }
}
