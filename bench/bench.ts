import { resolve } from 'node:path';
import { Argument, Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { isOfCompare, loadsOf } from './load/plan.ts';
import { run } from './machine/machine.ts';
import { compare } from './measurements/compare.ts';
import { operator } from './measurements/operator.ts';
import { overload } from './measurements/overload.ts';
import type { Settings } from './measurements/rounds.ts';
import { scale, services } from './measurements/services.ts';
import { visitors } from './measurements/visitors.ts';

const measurements = { services, compare, overload, scale, operator, visitors };

/** Node compiles functions that run often. One connection sends too few requests for that, and comes last. */
const usual = {
  services: { loads: loadsOf('64,256,hot,1'), rounds: 9, seconds: 3, warmUp: 15, campaigns: 100_000 },
  compare: { loads: loadsOf('64'), rounds: 9, seconds: 20, warmUp: 6, campaigns: 10_000 },
  overload: { loads: loadsOf('256,512,1536,4000'), rounds: 3, seconds: 6, warmUp: 3, campaigns: 10_000 },
  scale: { loads: loadsOf('64,1'), rounds: 5, seconds: 3, warmUp: 4, campaigns: 1_000_000 },
  operator: { loads: [], rounds: 3, seconds: 1, warmUp: 1, campaigns: 5_000_000 },
  visitors: { loads: [], rounds: 1, seconds: 60, warmUp: 5, campaigns: 100_000 },
};
const quick = { loads: loadsOf('64,hot,1'), rounds: 3, warmUp: 2, campaigns: 10_000 };

/** @throws InvalidArgumentError */
function number(text: string): number {
  if (/^[1-9][0-9]{0,7}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes whole numbers from 1 to 99999999.');
}

/** Reads an option that may be repeated. @throws InvalidArgumentError */
function setting(text: string, before: Settings = {}): Settings {
  const [, name, value] = /^([A-Z_]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It takes NAME=VALUE.');
  return { ...before, [name]: value };
}

const what =
  'services: beside a floor; compare: with a setting or a change, and without; overload: more callers than it can ' +
  'carry; scale: the cost at more data, beside the floor; operator: the commands at a million campaigns and at more, ' +
  'beside a bare scan; visitors: the time from the 200 of an update to visitors, and the queries of redirectors';
const loads =
  'in this order, with commas: numbers of connections, 1 to 9999, each with one request at a time; hot: 64, all on ' +
  'one campaign; compare takes the first load, and also, of 64 connections, held: while another session locks 20 ' +
  'campaigns half a second at a time; 401: unknown keys; 403: campaigns of other owners; 404: campaigns that do not ' +
  'exist; first-use: keys that were never used';

new Command('npm run bench --')
  .description('Measures our service, and checks its answers and its history.')
  .addArgument(
    new Argument('[what]', what)
      .choices(Object.keys(usual) as (keyof typeof usual)[])
      .default('services' as const),
  )
  .addOption(new Option('--quick', 'fewer campaigns, loads and rounds, for a first impression'))
  .option('--loads <LOADS>', loads, loadsOf)
  .option('--rounds <N>', 'rounds of each', number)
  .option('--seconds <N>', 'length of a round', number)
  .option('--warm-up <N>', 'length of the warm-up, in seconds', number)
  .option('--campaigns <N>', 'number of campaigns', number)
  .option('--changes <N>', 'scale, operator: changes in the history at first (3000000; 6 a campaign)', number)
  .option('--processes <N>', 'compare: the second service has N processes, none with its own core', number)
  .option('--set <NAME=VALUE>', 'a setting of our service, such as LOG_LEVEL=silent', setting)
  .option('--before <FOLDER>', 'compare, operator: the first one is of this checkout', (text) =>
    resolve(text),
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
