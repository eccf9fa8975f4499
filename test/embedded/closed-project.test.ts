import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { canHaveRoom, closedFolder, closedProject, saidInRoom } from '../support/embedded/other-machine.ts';

const said = async (script: string) => (await saidInRoom(script)).output;

const hash = createHash('sha256').update(closedProject).digest('hex').slice(0, 12);
const outside = `/var/lib/campaign-mirror/data/the-project-${hash}`;

const json = (text: string, mark: string) =>
  JSON.parse(new RegExp(`^${mark} (.*)$`, 'm').exec(text)?.[1] ?? '');

describe('as root in a folder that others may not enter', () => {
  it('the service starts, says where the data lies, and answers; the commands find the same place', async () => {
    if (!canHaveRoom('the start in a closed folder')) return;
    const output = await said(
      `
      service
      ./campaign-mirror campaign create --owner 7 --json > /srv/campaign
      ./campaign-mirror mirror create 1 --target-url https://first.example/ > /srv/mirror
      key=$(./campaign-mirror key issue --owner 7 --name test)
      port=$(sed -n 's/.*"listening".*"port":\\([0-9]*\\).*/\\1/p' <<< "$line")
      echo "answer $(curl -sS -X POST "http://127.0.0.1:$port/public/v1/mirror/campaign/1/mirror" \\
        -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \\
        -d '{"mirror_endpoint":"https://second.example/"}')"
      echo "config $(./campaign-mirror config --json)"
      echo "doctor $(./campaign-mirror doctor --json | grep '"disk"')"
      stat -c 'mode %a %U %n' '${closedFolder}' '${closedProject}' /var/lib/campaign-mirror/* '${outside}'
      stat -c 'pgdata %a %U' '${outside}/cluster/pgdata'
      ls -A '${closedProject}' | grep -Fx .data && echo 'loose data in the project'
      find /var/lib/campaign-mirror/programs \\( -perm /022 -o ! -user root \\) ! -type l | sed 's/^/loose /'
      `,
    );
    const lines = output.split('\n').filter((line) => line.includes('database-elsewhere'));
    expect(lines).to.have.length(1);
    expect(JSON.parse(lines[0] ?? '')).to.include({ folder: outside });
    expect(JSON.parse(lines[0] ?? '').because).to.match(/^the OS user \w+ cannot enter \/srv\/closed,/);
    expect(json(output, 'answer').mirror).to.include({ target_url: 'https://second.example/' });
    expect(json(output, 'config').database).to.deep.equal({ database: 'embedded', folder: outside });
    expect(json(output, 'doctor').finding).to.contain(outside);
    expect(output).to.contain(`mode 700 root ${closedFolder}\n`);
    expect(output).to.contain(`mode 711 root ${outside}\n`);
    expect(output).to.contain('mode 755 root /var/lib/campaign-mirror/programs\n');
    expect(output).to.match(/^pgdata 700 (?!root)/m);
    expect(output).not.to.contain('loose');
  });

  it('two projects have a copy of the programs together, and data each', async () => {
    if (!canHaveRoom('that two projects do not meet')) return;
    const output = await said(`
      ./campaign-mirror campaign create --owner 7 --name first > /dev/null
      mkdir '/srv/closed/another'
      project_at '/srv/closed/another/the project'
      cd '/srv/closed/another/the project'
      ./campaign-mirror campaign create --owner 8 --name second > /dev/null
      ./campaign-mirror campaign list --json | sed 's/^/second /'
      cd '${closedProject}'
      ./campaign-mirror campaign list --json | sed 's/^/first /'
      ls /var/lib/campaign-mirror/programs | sed 's/^/copy /'
    `);
    expect(output.match(/^copy .*$/gm)).to.have.length(1);
    expect(output.match(/^first .*$/gm)).to.have.length(1);
    expect(output.match(/^second .*$/gm)).to.have.length(1);
    expect(json(output, 'first')).to.include({ name: 'first', owner_id: 7 });
    expect(json(output, 'second')).to.include({ name: 'second', owner_id: 8 });
  });

  it('where there is no user postgres, nobody has the data', async () => {
    if (!canHaveRoom('a machine without the user postgres')) return;
    const output = await said(`
      printf 'root:x:0:0::/root:/bin/sh\\nnobody:x:65534:65534::/:/bin/false\\n' > /srv/passwd
      mount --bind /srv/passwd /etc/passwd
      ./campaign-mirror campaign create --owner 7 --name first > /dev/null
      stat -c 'pgdata %a %u' '${outside}/cluster/pgdata'
    `);
    expect(output).to.equal('pgdata 700 65534\n');
  });

  it('where there is neither, the start says so in one line', async () => {
    if (!canHaveRoom('a machine without the users postgres and nobody')) return;
    const output = await said(`
      echo 'root:x:0:0::/root:/bin/sh' > /srv/passwd
      mount --bind /srv/passwd /etc/passwd
      ./campaign-mirror campaign list 2>&1 || echo "ended with $?"
    `);
    expect(output).to.match(/^.*neither an OS user postgres nor nobody.*DATABASE_URL.*\.\nended with 3\n$/);
  });

  it('where /var/lib cannot be written, that is said in one line', async () => {
    if (!canHaveRoom('a machine whose /var/lib is read-only')) return;
    const output = await said(`
      mount -o remount,ro /var/lib
      ./campaign-mirror campaign list 2>&1 || echo "ended with $?"
      DATA_DIR=/srv/data ./campaign-mirror campaign list 2>&1 || echo "ended with $?"
    `);
    const [first, , second, ...rest] = output.split('\n');
    expect(first).to.match(/^The data folder \/var\/lib\/campaign-mirror\/data\/.*EROFS.*DATA_DIR.*\.$/);
    expect(second).to.match(/^The embedded database .* copied to \/var\/lib\/.*Read-only file system.*\.$/);
    expect(rest).to.deep.equal(['ended with 3', '']);
  });

  it('data that lies in the project stays in use, and where it cannot be reached that is said', async () => {
    if (!canHaveRoom('data in a project that becomes closed')) return;
    const output = await said(`
      chmod 711 '${closedFolder}'
      ./campaign-mirror campaign create --owner 7 --name first > /dev/null
      ./campaign-mirror config --json | sed 's/^/open /'
      chmod 700 '${closedFolder}'
      ./campaign-mirror campaign list 2>&1 || echo "ended with $?"
    `);
    expect(json(output, 'open').database).to.deep.equal({
      database: 'embedded',
      folder: `${closedProject}/.data`,
    });
    expect(output).to.match(
      /^The embedded database in .* does not start as the OS user \w+ \d+ \(.*Permission denied\): .*\.$/m,
    );
    expect(output).to.match(/ended with 3\n$/);
  });

  it('data that lies outside stays in use when the project can be reached', async () => {
    if (!canHaveRoom('data outside of a project that becomes open')) return;
    const output = await said(`
      ./campaign-mirror campaign create --owner 7 --name first > /dev/null
      chmod 711 '${closedFolder}'
      ./campaign-mirror campaign list --json
    `);
    expect(output).to.contain('"first"');
  });
});
