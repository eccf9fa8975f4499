import * as domain from '@campaign-mirror/domain';
import * as operator from '@campaign-mirror/domain/operator';
import { Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings';
import type { Call } from './call.ts';

/** A command without subcommands. The help shows the examples after `./campaign-mirror`. */
export function leaf(name: string, description: string, examples: readonly string[]) {
  const lines = examples.map((example) => `  ./campaign-mirror ${example}`).join('\n');
  return new Command(name).description(description).addHelpText('afterAll', `\nExamples:\n${lines}`);
}

export function group(name: string, description: string, commands: readonly { name(): string }[]) {
  const parent = new Command(name).description(description);
  for (const command of commands) parent.addCommand(command as Command);
  return parent;
}

/** Adds `--json` to a command and its subcommands, so that its place in the line does not matter. */
export function addJsonOption(command: CommandUnknownOpts, call: Call): void {
  command.option('--json', 'answer in JSON: one object, or one on each line').on('option:json', () => {
    call.output.json = true;
  });
  for (const child of command.commands) addJsonOption(child, call);
}

/** A parser of an argument. Its error begins with `accepted`. */
function argument<Value>(accepted: string, read: (text: string) => Value | undefined) {
  return (text: string): Value => {
    const value = read(text);
    if (value === undefined) throw new InvalidArgumentError(`${accepted} is expected.`);
    return value;
  };
}

const number = 'A whole number from 1 to 9007199254740991';
export const campaign = argument(number, domain.campaignId);
export const owner = argument(number, domain.ownerId);
export const key = argument(
  'The number of the key in `./campaign-mirror key list`, beside its first characters, not the key itself,',
  domain.accessKeyId,
);
export const keys = (text: string, others: domain.AccessKeyId[] = []) => [...others, key(text)];
export const change = argument(number, domain.historyId);
export const audit = argument(number, operator.auditId);
export const limit = argument<number>(number, domain.campaignId);

const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Reads a duration in seconds, from `min` to a hundred years. */
const duration = (accepted: string, min: number) =>
  argument(accepted, (text) => {
    const [, count, unit] = /^(0|[1-9][0-9]{0,9})([smhd])$/.exec(text === '0' ? '0s' : text) ?? [];
    const value = Number(count) * seconds[unit as keyof typeof seconds];
    return value >= min && value <= 36_525 * seconds.d ? value : undefined;
  });
export const life = duration('A time such as 1s, 30m, 12h or 90d, at most 36525d,', 1);
export const grace = duration('A time such as 0s, 30m, 24h or 7d, at most 36525d,', 0);
export const age = duration('An age such as 400d or 48h, from 1d to 36525d,', operator.minPruneAge);

/** Reads a day, or a time to the minute, second or microsecond. */
export const moment = argument('A time in UTC such as 2026-11-20 or 2026-11-20T15:36:00Z', (text) => {
  const [, day, minute = '00:00', second = '00', fraction = ''] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?Z)?$/.exec(text) ?? [];
  return domain.timestamp(`${day}T${minute}:${second}.${fraction.padEnd(6, '0')}Z`);
});

export const name = argument('A name on one line, of 1 to 200 characters,', domain.label);

const hostExpected =
  'A host such as old.example or [2001:db8::1], without a scheme, a port, a path or a wildcard,';
export const host = argument(hostExpected, (text) => (text.includes(',') ? undefined : operator.host(text)));

/** Reads the hosts of an option that may be repeated or contain commas. */
export const hostsToMove = (text: string, others: operator.Host[] = []): operator.Host[] => [
  ...others,
  ...text.split(',').map((one) => host(one.trim())),
];

/** Reads the hosts of a key, in the form of the URL parser. */
export function hosts(text: string): string[] {
  const list = domain.hostList(text.split(',').map((entry) => entry.trim()));
  if (!('notAHost' in list)) return operator.entriesOf(list);
  const expected = 'such as in shop.example,*.shop.example: without a scheme, a port or a path.';
  throw new InvalidArgumentError(`${JSON.stringify(list.notAHost)} is not a host for a key, ${expected}`);
}
