import { expect } from 'chai';
import { type LogCall, logCalls, textsIn } from '../support/log-calls.ts';
import { levelNumbers, logSchema } from '../support/log-schema.ts';
import { sources as allSources, type SourceFile } from '../support/workspace.ts';

/** Where events are not written out in the call: the texts that they are made of. */
const computed: Readonly<Record<string, { from: string; which: RegExp; prefix?: string }>> = {
  'packages/app/src/database-access.ts': {
    from: 'packages/app/src/embedded/events.ts',
    which: /./,
    prefix: 'database-',
  },
  'packages/app/src/prepare-database.ts': {
    from: 'packages/app/src/database-start.ts',
    which: /^migration-[a-z]+$/,
  },
};
/** Lines of requests are written past the log. */
const requestLines = { from: 'packages/app/src/http-log.ts', which: /^request[-a-z]*$/ };

describe('LOGS.md', () => {
  const { events, fields } = logSchema();
  let sources: SourceFile[];
  let calls: LogCall[];
  before(async () => {
    sources = (await allSources()).filter(({ path }) => !path.includes('/cli/'));
    calls = sources.flatMap(logCalls);
  });

  const texts = ({ from, which, prefix = '' }: (typeof computed)[string]) => {
    const source = sources.find(({ path }) => path === from);
    const found = source ? textsIn(source).filter((text) => which.test(text)) : [];
    expect(found, from).not.to.deep.equal([]);
    return found.map((text) => `${prefix}${text}`);
  };

  it('has every event that the sources write, and no other', () => {
    expect(calls.length).to.be.above(20);
    const literal = calls.flatMap(({ event }) => event ?? []);
    const unnamed = calls.filter(({ event }) => event === undefined).map(({ path }) => path);
    expect(unnamed, 'lines without an event that can be read off').to.have.members(Object.keys(computed));
    const written = [...literal, ...[...Object.values(computed), requestLines].flatMap(texts)];
    expect(
      written.filter((event) => !events.has(event)),
      'not in the table',
    ).to.deep.equal([]);
    expect(
      [...events.keys()].filter((event) => !written.includes(event)),
      'written nowhere',
    ).to.deep.equal([]);
  });

  it('has the level and the fields of each', () => {
    const wrong = calls.flatMap(({ path, level, event, fields: named, open }) => {
      const row = event === undefined ? undefined : events.get(event);
      if (!row) return [];
      const missing = named.filter((field) => !row.fields.includes(field));
      const surplus = open ? [] : row.fields.filter((field) => !named.includes(field));
      const isAtLevel = level !== undefined && row.levels.includes(level);
      return missing.length + surplus.length > 0 || !isAtLevel
        ? [`${path}: ${event} ${level} ${[...missing, ...surplus]}`]
        : [];
    });
    expect(wrong).to.deep.equal([]);
    for (const { levels } of events.values()) expect(Object.keys(levelNumbers)).to.include.members(levels);
  });

  it('says what each field means, and of no other', () => {
    const used = [...events.values()].flatMap((row) => row.fields);
    expect(fields).to.have.members([...new Set(used)]);
  });
});
