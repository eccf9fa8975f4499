import { expect } from 'chai';
import { command, fedCommand, startCommandProcess } from '../support/commands/command.ts';
import { commandsOn, objectsOf, wordsOf } from '../support/commands/commands-on.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { blocksOf } from '../support/documents/blocks.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf } from '../support/process/lives.ts';
import { endAll, type Listening, listeningService } from '../support/process/service-process.ts';
import { read } from '../support/workspace.ts';

const pages = [
  'docs/how-to/operate.md',
  'docs/reference/csv.md',
  'docs/how-to/backup-and-restore.md',
  'docs/runbook.md',
];
const documents = (await Promise.all(pages.map(read))).join('\n').replaceAll('./campaign-mirror ', '');
/** The commands of the section on a blocked domain. */
const [tryMove = '', move = '', listMoves = ''] = (
  blocksOf(await read('docs/how-to/operate.md'))[0]?.text ?? ''
)
  .split('\n')
  .map((line) => line.replace('./campaign-mirror ', ''));

const campaigns = 25_000;
const owners = 250;
const ofOwner = (number: number) => 1 + (number % owners);
/** Every second one is on a name below the host that will be blocked. */
const addressOf = (number: number) =>
  `https://${number % 2 ? 'lp.' : ''}second.example/${number}?click={click_id}`;

/** What an operator types in a month, as the documents have it, with 25,000 campaigns; in order. */
describe('a month of an operator', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);
  let service: Listening;
  after(endAll);

  /** Types a line of the documents, with values in the place of its words in capitals, and perhaps more words. */
  async function type(line: string, values: Readonly<Record<string, unknown>> = {}, ...more: string[]) {
    expect(documents, 'the documents say so').to.include(line);
    const words = wordsOf(line).map((word) => String(values[word] ?? word));
    return command([...words, ...more], on.settings);
  }
  /** The same, of which the answer in JSON counts. */
  const objects = async (...typed: Parameters<typeof type>) => {
    const { code, output, errors } = await type(typed[0], typed[1], ...typed.slice(2).map(String), '--json');
    expect(code, errors).to.equal(0);
    return objectsOf(output);
  };
  const sql = async (text: string) => (await database.admin.query(text)).rows;
  const onHost = async (host: string) =>
    (await sql(`select from campaign_mirror.mirrors where target_url ~ '//([a-z]+[.])?${host}/'`)).length;
  const issue = async (owner: number, ...more: string[]) =>
    on.object('key', 'issue', '--owner', `${owner}`, '--name', 'script', ...more);
  const set = async (key: string, campaign: number, address: string) =>
    (await call({ base: service.base, campaign, key, address })).status;

  before(async () => {
    service = await listeningService({ DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false' });
    const lines = Array.from(
      { length: campaigns },
      (_, at) => `${at + 1},${ofOwner(at + 1)},${addressOf(at + 1)}`,
    );
    const importing = fedCommand(['import', '-'], on.settings);
    importing.stdin.end(['id,owner_id,target_url', ...lines].join('\n'));
    expect((await importing.done()).output).to.equal('Imported: 25000 campaigns, 25000 mirrors.\n');
  });

  it('a domain is blocked: a mistyped target moves nothing, and a dry run shows what would be', async () => {
    const mistyped = await command(wordsOf(move.replace('third.example', 'third')), on.settings);
    expect(mistyped.errors).to.match(/^no mirror can be on third, .*: use another --to-host\n$/);
    const { output } = await type(tryMove);
    expect(output).to.include('25000 mirrors would be moved from second.example to third.example');
    expect(await onHost('second.example')).to.equal(campaigns);
  });

  it('the move is killed in its middle, and run again: it is one move, and one undo gives all back', async () => {
    await sql(`
      create function public.hold() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
      create trigger hold before update on campaign_mirror.mirrors for each row
        when (new.campaign_id = 15001) execute function public.hold()`);
    const holder = await rival(database, 'select pg_advisory_xact_lock(1)');
    const moving = startCommandProcess(wordsOf(move), on.settings);
    await untilWaiting(database, moving.ended);
    await moving.stop('SIGKILL');
    await holder.rollback();
    await sql('drop function public.hold cascade');
    const rest = await type(move);
    expect(rest.output).to.match(/^\d+ mirrors were moved .*\. This is move \d+: .* undoes it\.\n$/);
    const [one, ...others] = await objects(listMoves);
    expect(one).to.include({
      mirrors: campaigns,
      from: 'second.example',
      to: 'third.example',
      finished: true,
    });
    expect(others).to.deep.equal([]);
    expect(await onHost('third.example')).to.equal(campaigns);

    const undo = (await objects('mirror move --undo NUMBER', { NUMBER: one.id }, '--yes')).at(-1);
    expect(undo).to.include({ moved: campaigns, not_moved: 0 });
    expect(
      await sql('select count(*)::int from campaign_mirror.mirrors where target_url ~ $$second$$'),
    ).to.deep.equal([{ count: campaigns }]);
  });

  it('keys for the blocked host are named by the move, and their successors set the new one', async () => {
    const { id, key } = await issue(8, '--hosts', 'second.example,*.second.example');
    const { errors } = await type(move);
    expect(errors).to.include(
      `1 key is limited to hosts that were left (${id}), and cannot set a mirror to third.example: `,
    );
    expect(await set(key, 7, 'https://third.example/')).to.equal(422);
    const rotate = 'key rotate NUMBER --hosts third.example';
    const named = rotate.replace('NUMBER', id).replace('third.example', "'third.example,*.third.example'");
    expect(errors).to.include(named);
    const [successor] = await objects(rotate, { NUMBER: id }, '--grace', '0s');
    expect(await set(key, 7, 'https://second.example/')).to.equal(401);
    expect(await set(successor.key, 7, 'https://third.example/new')).to.equal(200);
  });

  it('an undo says who changed what it leaves, and which move to undo first', async () => {
    const [first] = await objects(listMoves);
    const later = move
      .replaceAll('third.example', 'fourth.example')
      .replace('second.example', 'third.example');
    const sums = (await command([...wordsOf(later), '--owner', '9', '--json'], on.settings)).output;
    const second = objectsOf(sums).at(-1).move;
    const undo = 'mirror move --undo NUMBER';
    const { code, output, errors } = await type(undo, { NUMBER: first.id }, '--yes');
    expect(code).to.equal(1);
    expect(output)
      .to.include('campaign 7 is not moved: it was changed since by key ')
      .and.to.include(`by move ${second}\n`);
    expect(errors).to.include(
      `100 changed since by move ${second}: \`./campaign-mirror mirror move --undo ${second}\` first`,
    );
    await objects(undo, { NUMBER: second }, '--yes');
    expect((await type(undo, { NUMBER: first.id }, '--yes')).code).to.equal(1);
    expect(await onHost('second.example')).to.equal(campaigns - 1);
  });

  it('a host that is denied makes a move off it final, and says so', async () => {
    await type(move);
    const [last] = await objects(listMoves);
    const denied = { ...on.settings, MIRROR_HOST_DENYLIST: 'second.example,*.second.example' };
    const undoing = await command(['mirror', 'move', '--undo', `${last.id}`, '--yes'], denied);
    expect(undoing.errors).to.match(/^not every mirror was moved: \d+ denied host\n$/);
    expect(undoing.output).to.include(
      'the new address is refused: it must not point to this host, which the host denylist contains',
    );
    expect(await onHost('third.example')).to.equal(campaigns);
  });

  it('an owner leaves: his keys end together, his mirror goes, and what was done is found again', async () => {
    const [{ at }] = await sql(
      'select to_char(now() at time zone \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS"Z"\') as at',
    );
    const keys = [await issue(12), await issue(12)];
    expect(await set(keys[0]?.key, 11, 'https://third.example/11')).to.equal(200);
    await objects('key revoke --owner 42', { 42: 12 }, '--yes');
    for (const { key } of keys) expect(await set(key, 11, 'https://third.example/again')).to.equal(401);
    const revoked = await objects('audit --act key-revoked --since 2026-11-20', { '2026-11-20': at });
    expect(revoked.map(({ access_key_id }) => access_key_id)).to.include.members(keys.map(({ id }) => id));
    const other = await issue(13);
    await on.run('mirror delete 12 --yes');
    expect(await set(other.key, 12, 'https://third.example/')).to.equal(403);
    await on.run('mirror create 12 --target-url https://third.example/');
    expect(await set(other.key, 12, 'https://third.example/new')).to.equal(200);
    const [change] = await on.objects('mirror history 12');
    expect(change).to.include({ address_after: 'https://third.example/new', subject: `key:${other.id}` });
  });
});
