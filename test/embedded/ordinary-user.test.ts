import { expect } from 'chai';
import { canHaveRoom, inRoom } from '../support/other-machine.ts';

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
  it('what root tests of the embedded database holds too: its creation and its members', async function () {
    this.timeout(180_000);
    if (!canHaveRoom('the half of these tests that is not for root')) return;
    const files = ['creation', 'lifecycle'].map((name) => `test/embedded/${name}.test.ts`);
    const process = inRoom(`${open}
      nobody node_modules/.bin/mocha --no-config --timeout 60000 --reporter dot ${files.join(' ')}
    `);
    const { code } = await process.ended;
    expect(code, `${process.output}\n${process.errors}`).to.equal(0);
    expect(process.output).to.match(/^ +\d\d passing/m);
  });

  it('the data lie in the project, and no copy of the programs is made', async () => {
    if (!canHaveRoom('the place of an ordinary user’s data')) return;
    const process = inRoom(`${open}
      chown nobody .
      nobody ./campaign-mirror campaign create --owner 7 --name first > /dev/null
      nobody ./campaign-mirror config --json
      stat -c '%U %a' .data/cluster .data/cluster/pgdata
      ls /var/lib
    `);
    const { code } = await process.ended;
    expect(code, process.errors).to.equal(0);
    const [config = '', ...rest] = process.output.split('\n');
    expect(JSON.parse(config).database.folder).to.equal('/srv/closed/the project/.data');
    expect(rest).to.deep.equal(['nobody 700', 'nobody 700', '']);
  });

  it('who has no name cannot make a database, and is told so', async () => {
    if (!canHaveRoom('an OS user without a name')) return;
    const process = inRoom(`${open}
      mkdir -m 700 /srv/data
      chown 12345 /srv/data
      DATA_DIR=/srv/data/here setpriv --reuid 12345 --regid 12345 --clear-groups ./campaign-mirror campaign list
    `);
    const { code } = await process.ended;
    expect(code).to.equal(3);
    expect(process.errors).to.match(
      /^The embedded database .* OS user 12345, who has no entry in \/etc\/passwd: .*\.$/m,
    );
  });
});
