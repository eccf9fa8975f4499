import { expect } from 'chai';
import { canHaveRoom, saidInRoom } from '../support/embedded/other-machine.ts';

const open = `
chmod 755 '/srv/closed'
mkdir -m 700 /srv/home
chown nobody /srv/home
nobody() {
  setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups --inh-caps=-all --bounding-set=-all \\
    env HOME=/srv/home TMPDIR=/srv/home "$@"
}
`;

describe('as an ordinary user', () => {
  it('what root tests of the embedded database holds too: its creation and its life', async function () {
    this.timeout(180_000);
    if (!canHaveRoom('the half of these tests that is not for root')) return;
    const files = ['creation', 'lifecycle'].map((name) => `test/embedded/${name}.test.ts`);
    const { output } = await saidInRoom(`${open}
      nobody node_modules/.bin/mocha --no-config --timeout 60000 --reporter dot ${files.join(' ')}
    `);
    expect(output).to.match(/^ +\d\d passing/m);
  });

  it('the data lie in the project, and no copy of the programs is made', async () => {
    if (!canHaveRoom('the place of an ordinary user’s data')) return;
    const { output } = await saidInRoom(`${open}
      chown nobody .
      nobody ./campaign-mirror campaign create --owner 7 --name first > /dev/null
      nobody ./campaign-mirror config --json
      stat -c '%U %a' .data/cluster .data/cluster/pgdata
      ls /var/lib
    `);
    const [config = '', ...rest] = output.split('\n');
    expect(JSON.parse(config).database.folder).to.equal('/srv/closed/the project/.data');
    expect(rest).to.deep.equal(['nobody 700', 'nobody 700', '']);
  });

  it('who has no name cannot make a database, and is told so', async () => {
    if (!canHaveRoom('an OS user without a name')) return;
    const script = `${open}
      mkdir -m 700 /srv/data
      chown 12345 /srv/data
      DATA_DIR=/srv/data/here setpriv --reuid 12345 --regid 12345 --clear-groups ./campaign-mirror campaign list
    `;
    expect((await saidInRoom(script, 3)).errors).to.match(
      /^The embedded database cannot be created .* user ID 12345: user does not exist\): .*\.$/m,
    );
  });
});
