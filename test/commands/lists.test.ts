import { mirrorBody } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { jsonOf } from '../../packages/adapters-cli/src/terminal/text.ts';
import { answered, command, refused, startCommand } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { piped } from '../support/commands/pipe.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';
import { terminal } from '../support/process/terminal.ts';
import { mirror } from '../support/store/fake-ports.ts';

/** More than a pipe holds, and several pages. */
const many = 5_000;
/** Owners take turns; every other campaign has a mirror. */
const owners = 4;

describe('the commands campaign list, mirror list and mirror show', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);
  before(async () => {
    await database.admin.query(
      `insert into campaign_mirror.campaigns (id, owner_id, name)
       select id, 1 + id % ${owners}, 'Campaign ' || id from generate_series(1, ${many}) id`,
    );
    await database.admin.query(
      `insert into campaign_mirror.mirrors (campaign_id, target_url, clicks)
       select id, 'https://example.com/' || id, id from generate_series(${many}, 2, -2) id`,
    );
    await database.admin.query('analyze');
  });

  const ids = (from: number, to: number, step = 1) =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);
  const listed = async (...args: string[]) =>
    (await on.objects('campaign', 'list', ...args)).map(({ id }) => id);
  const mirrored = async (...args: string[]) =>
    (await on.objects('mirror', 'list', ...args)).map(({ campaign_id }) => campaign_id);

  it('all rows, over several pages, each once and in order, however the server joins them', async () => {
    for (const ways of [['nestloop', 'mergejoin'], ['hashjoin']]) {
      for (const way of ways)
        await database.admin.query(`alter database ${database.name} set enable_${way} = off`);
      expect(await listed(), `without ${ways}`).to.deep.equal(ids(1, many));
      expect(await mirrored()).to.deep.equal(ids(2, many, 2));
      await database.admin.query(`alter database ${database.name} reset all`);
    }
  });

  it('--owner, --after and --limit, also past the end of a page', async () => {
    expect(await listed('--limit', '501', '--after', '499')).to.deep.equal(ids(500, 1_000));
    expect(await listed('--owner', '2', '--after', '9', '--limit', '3')).to.deep.equal([13, 17, 21]);
    expect(await mirrored('--owner', '3', '--after', '10', '--limit', '2')).to.deep.equal([14, 18]);
    expect(await mirrored('--owner', '2'), 'none of theirs has a mirror').to.deep.equal([]);
    expect(await listed('--after', String(many))).to.deep.equal([]);
  });

  it('--json: a campaign with its mirror, and a mirror, as the interface shows it', async () => {
    const [one, two] = await on.objects('campaign', 'list', '--limit', '2');
    expect(one).to.include({ id: 1, owner_id: 2, is_default: false, name: 'Campaign 1', mirror: null });
    const [first] = await on.objects('mirror', 'list', '--limit', '1');
    expect(two?.mirror).to.deep.equal(first);
    expect(first).to.include({ campaign_id: 2, target_url: 'https://example.com/2', clicks: 2 });
    expect(await on.object('mirror', 'show', '2')).to.deep.equal({ mirror: first });
    expect(JSON.stringify({ mirror: jsonOf(mirror) }), 'keys and their order').to.equal(mirrorBody(mirror));
  });

  it('a table for people, numbers to the right, nothing at the ends of its lines', async () => {
    const { output } = await on.run('campaign', 'list', '--after', '8', '--limit', '2');
    const [head, ...rows] = output.split('\n');
    expect(head).to.match(/^campaign {2}owner {2}default {2}created {22}name {9}mirror$/);
    expect(rows[0]).to.match(/^ {7}9 {6}2 {2}no {7}\d{4}-\S+Z {2}Campaign 9 {3}-$/);
    expect(rows[1]).to.match(/^ {6}10 {6}3 {2}no {7}\S+ {2}Campaign 10 {2}https:\/\/example\.com\/10$/);
    expect(rows.slice(2)).to.deep.equal(['']);
    const mirrors = await on.run('mirror', 'list', '--after', '8', '--limit', '1');
    expect(mirrors.output).to.match(
      /^campaign {2}mirror {2}clicks {2}updated {22}target URL\n {6}10 +\d+ +10 {2}\S+Z {2}https:\/\/example\.com\/10\n$/,
    );
  });

  it('mirror show: all eight fields, for people too', async () => {
    const { output } = await on.run('mirror', 'show', '4');
    const names = output.split('\n').map((line) => line.split(/ {2,}/)[0]);
    expect(names.join()).to.equal(
      'id,campaign id,target URL,clicks,updated externally,updated externally at,created at,updated at,',
    );
    expect(output).to.match(/^target URL {13}https:\/\/example\.com\/4$/m);
    expect(output).to.match(/^updated externally {5}no$/m);
    expect(output).to.match(/^updated externally at {2}-$/m);
    expect(await on.run('mirror', 'show', '1')).to.deep.equal(
      refused('the campaign 1 has no mirror: `./campaign-mirror mirror create 1` creates it\n'),
    );
  });

  it('nothing to list: exit code 0, said beside the answer, and not to programs', async () => {
    const args = ['campaign', 'list', '--owner', '99'];
    expect(await on.run(...args)).to.deep.equal(answered('', 'There is no such campaign.\n'));
    expect(await on.run(...args, '--json')).to.deep.equal({ code: 0, output: '', errors: '' });
    expect(await on.run('mirror', 'list', '--owner', '99')).to.include({
      errors: 'There is no such mirror.\n',
    });
  });

  it('a reader that has enough ends the list early, quietly and as done', async () => {
    // Whoever read on to the last mirror would end in a fault.
    await database.admin.query('alter table campaign_mirror.mirrors drop constraint mirrors_clicks_check');
    const clicks = 'update campaign_mirror.mirrors set clicks = $1 where campaign_id = $2';
    await database.admin.query(clicks, ['9007199254740993', many]);
    expect((await on.run('campaign', 'list', '--json')).code, 'read to its end').to.equal(1);

    for (const args of [
      ['campaign', 'list'],
      ['campaign', 'list', '--json'],
      ['mirror', 'list', '--json'],
    ]) {
      const { code, output, errors } = await piped(args, 'head -1', on.settings);
      expect({ code, errors }, args.join(' ')).to.deep.equal({ code: 0, errors: '' });
      expect(output).to.match(args.includes('--json') ? /^\{.*\}\n$/ : /^campaign .*\n$/);
    }
    await database.admin.query(clicks, [many, many]);
  });

  it('Ctrl-C ends a list between two pages, with exit code 130', async () => {
    const other = await rival(database);
    await other.run('lock table campaign_mirror.campaigns');
    const listing = startCommand(['campaign', 'list', '--json'], on.settings);
    await untilWaiting(database, listing.ended);
    listing.interrupt();
    await other.commit();
    expect((await listing.ended).code).to.equal(130);
    expect(listing.errors).to.equal('Stopped: there is more.\n');
    expect(listing.output.split('\n').length).to.be.below(many);
  });

  it('heads stand out in a terminal; not with NO_COLOR, and not in a pipe', async () => {
    const args = ['campaign', 'list', '--limit', '1'];
    const inTerminal = on.inTerminal(...args);
    expect((await inTerminal.ended).code).to.equal(0);
    expect(inTerminal.output).to.include('\u001b[1mcampaign\u001b[22m');
    expect(inTerminal.screen).to.match(/^campaign {2}owner/m);
    const plain = terminal(args, { ...on.settings, NO_COLOR: '1' });
    expect((await plain.ended).code).to.equal(0);
    expect(plain.output).to.include('campaign').and.not.to.include('\u001b[');
    const { output } = await command(args, { ...on.settings, TERM: 'xterm-256color' });
    expect(output).to.include('campaign').and.not.to.include('\u001b[');
  });
});
