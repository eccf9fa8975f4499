import { expect } from 'chai';
import { StartedCommand } from '../support/commands/command.ts';
import { commandsOn, objectsOf, wordsOf } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { recordChange } from '../support/database/recorded-changes.ts';
import { groupedOf } from '../support/process/lives.ts';

const step = (number: number) => `https://step-${number}.example/?a={click_id}`;
const hint = 'Following. Ctrl-C ends it.\n';
const numbersOf = (objects: { id?: number }[]) => objects.flatMap(({ id }) => id ?? []);

describe('mirror follow: every committed change is printed, none is missed', () => {
  const service = groupedOf('suite');
  const on = () => commandsOn(service.database);
  const admin = () => service.database.admin;

  async function following(words = '') {
    const running = new StartedCommand(['mirror', 'follow', ...wordsOf(words)], on().settings);
    await running.says(() => running.errors.includes(hint) || undefined);
    return { running, numbers: () => numbersOf(objectsOf(running.output)) };
  }

  it('prints each change as the history has it; a signal ends it with exit code 0', async () => {
    const one = await service.campaign();
    const json = await following('--json');
    const table = await following();
    await service.set(one, step(1), 'request-1');
    await json.running.says(() => json.numbers()[0]);
    const [known] = await on().objects(`mirror history ${one.seen.id}`);
    const [{ position }, change] = objectsOf(json.running.output);
    expect(change).to.deep.equal({ ...known, position: change.position });
    expect(position).to.include('/primary/');
    await table.running.shows(new RegExp(` key:${one.keyId} .* https://step-1\\.example/.* request-1 `));
    for (const [{ running }, signal] of [
      [json, 'SIGINT'],
      [table, 'SIGTERM'],
    ] as const) {
      expect(await running.stop(signal)).to.deep.equal({ code: 0, signal: null });
      expect(running.errors).to.equal(hint);
    }
  });

  it('--from goes on after a printed position without a gap, while writers commit in any order', async () => {
    const open = await connect(service.database.address('owner'));
    await open.query('begin');
    const long = await recordChange(open);
    const first = await following('--json');
    const writers = (await service.live(8)).map(async (one) => {
      for (let turn = 0; turn < 40; turn++) await service.set(one, step(turn));
    });
    await first.running.says(() => first.numbers().length > 100 || undefined);
    await first.running.stop();
    const printed = objectsOf(first.running.output.slice(0, first.running.output.lastIndexOf('\n')));
    await Promise.all(writers);
    await open.query('commit');
    await open.end();
    const changes = 'select id::int from campaign_mirror.mirror_history where id >= $1';
    const { rows } = await admin().query(changes, [long]);
    expect(rows).to.have.length(321);
    const committed = rows.map(({ id }) => id);
    for (const at of [1, 50, printed.length - 1]) {
      const again = await following(`--json --from ${printed[at].position}`);
      const last = await recordChange(admin());
      await again.running.says(() => again.numbers().includes(last) || undefined);
      expect(await again.running.stop()).to.include({ code: 0 });
      const all = new Set([...numbersOf(printed.slice(0, at + 1)), ...again.numbers()]);
      expect([...all]).to.include.members([...committed, last]);
      expect(again.numbers()).to.deep.equal(again.numbers().toSorted((one, other) => one - other));
    }
  });
});
