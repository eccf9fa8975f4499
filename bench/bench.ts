import { resolve } from 'node:path';
import { Argument, Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { isOfCompare, loadsOf } from './load/plan.ts';
import { run } from './machine/run.ts';
import type { Settings } from './stage/bench.ts';
import { compare } from './stage/compare.ts';
import { operator } from './stage/operator.ts';
import { overload } from './stage/overload.ts';
import { scale, services } from './stage/services.ts';
import { visitors } from './stage/visitors.ts';

const measurements = { services, compare, overload, scale, operator, visitors };

/** Node compiles what has run often. One connection asks too little for that, and comes last. */
const usual = {
  services: { loads: loadsOf('64,256,hot,1'), rounds: 9, seconds: 3, warmUp: 15, campaigns: 100_000 },
  compare: { loads: loadsOf('64'), rounds: 9, seconds: 20, warmUp: 6, campaigns: 10_000 },
  overload: { loads: loadsOf('256'), rounds: 1, seconds: 6, warmUp: 3, campaigns: 10_000 },
  scale: { loads: loadsOf('64,1'), rounds: 5, seconds: 3, warmUp: 4, campaigns: 1_000_000 },
  operator: { loads: [], rounds: 3, seconds: 1, warmUp: 1, campaigns: 5_000_000 },
  visitors: { loads: [], rounds: 1, seconds: 60, warmUp: 5, campaigns: 100_000 },
};
const quick = { loads: loadsOf('64,hot,1'), rounds: 3, warmUp: 2, campaigns: 10_000 };

/** @throws InvalidArgumentError that says what is accepted */
function number(text: string): number {
  if (/^[1-9][0-9]{0,7}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes whole numbers from 1 to 99999999.');
}

/** Reads an option that may be given again. @throws InvalidArgumentError that says what is accepted */
function setting(text: string, before: Settings = {}): Settings {
  const [, name, value] = /^([A-Z_]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It takes NAME=VALUE.');
  return { ...before, [name]: value };
}

new Command('npm run bench --')
  .description('Measures our service, and checks its answers and its history.')
  .addArgument(
    new Argument(
      '[what]',
      [
        'services: beside a floor',
        'compare: with a setting or a change, and without',
        'overload: when more is asked than it can carry',
        'scale: how the cost grows with the data, beside the floor',
        'operator: the commands at a million campaigns and at more, beside a bare scan',
        'visitors: how long after its 200 an update reaches the visitors, and what redirectors ask of the database',
      ].join('; '),
    )
      .choices(Object.keys(usual) as (keyof typeof usual)[])
      .default('services' as const),
  )
  .addOption(new Option('--quick', 'fewer campaigns, loads and rounds, for a first look'))
  .option(
    '--loads <LOADS>',
    [
      'in this order, with commas: numbers of connections, 1 to 2048, each with one request at a time',
      'hot: 64, all on one campaign',
      'compare takes the first load, and also, of 64 connections, 401: each with another unknown key',
      '403: for campaigns of other owners',
      '404: for campaigns that do not exist',
      'first-use: each with another key that was never used',
      'held: while another session locks some campaigns half a second at a time',
    ].join('; '),
    loadsOf,
  )
  .option('--rounds <N>', 'rounds of each', number)
  .option('--seconds <N>', 'length of a round', number)
  .option('--warm-up <N>', 'seconds for which each is warmed up', number)
  .option('--campaigns <N>', 'how many there are', number)
  .option(
    '--changes <N>',
    'how many the history has at first: scale (3000000), operator (6 for each campaign)',
    number,
  )
  .option(
    '--processes <N>',
    'compare: how many processes of the second one share a port, with no core of its own for anybody',
    number,
  )
  .option('--set <NAME=VALUE>', 'our service with this setting, such as LOG_LEVEL=silent', setting)
  .option(
    '--before <FOLDER>',
    'compare, operator: the first one from another checkout of this project',
    (text) => resolve(text),
  )
  .option('--moving <N>', 'operator: how many mirrors are moved (2500)', number)
  .showHelpAfterError()
  .action((what, options, command) => {
    const chosen = { ...usual[what], ...(options.quick && quick), ...options };
    const load = chosen.loads.find(isOfCompare);
    if (load && what !== 'compare') command.error(`error: only compare takes the load ${load.name}`);
    return run((cleanup) => measurements[what](chosen, cleanup));
  })
  .parse();
