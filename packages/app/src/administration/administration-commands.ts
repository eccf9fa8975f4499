/*
 * The commands that administer an installation, in the order of the help: `copy`, `migrate`, `denylist`, `doctor` and `config`.
 * What a command needs besides the settings is loaded when it runs, so that `--help` answers at once.
 */
import { leaf, numberRange } from '@campaign-mirror/adapters-cli';
import { type Call, ClearError, exitCodes, printable } from '@campaign-mirror/adapters-cli/terminal';
import { entriesOf, hostList } from '@campaign-mirror/domain';
import { Option } from '@commander-js/extra-typings';
import { plentyOfNumbers } from '../database/check.ts';
import { nameOf } from '../database/connection-advice.ts';
import { externalDatabase, isExternal } from '../settings/external-database.ts';
import { type Origin, readCommandSettings } from '../settings/read-settings.ts';
import { environmentExample, type SettingName, type Settings, settings } from '../settings/settings.ts';

export function copy(call: Call) {
  return leaf(
    'copy',
    'copy everything, with keys, history and audit, into an empty database of the same version, as its owner',
    ['copy', 'copy --from /srv/trial/.data'],
  )
    .option(
      '--from <folder>',
      'data folder of the embedded database to copy; otherwise SOURCE_DATABASE_URL or DATA_DIR',
    )
    .action(async ({ from }) => {
      const { copyInto } = await import('./copy-database.ts');
      const rows = await copyInto(call, from);
      const parts = Object.entries(rows).map(([table, count]) => `${count} of ${table}`);
      await call.output.answer(rows, `Copied rows: ${parts.join(', ')}.`);
    });
}

export function migrate(call: Call) {
  return leaf(
    'migrate',
    'bring the schema up to date and give the database roles their rights, as the owner of the schema',
    ['migrate', 'migrate --status', 'migrate --numbers 1-1000000000000'],
  )
    .option('--status', 'only show which migrations are applied or pending; exit code 1 if any is pending')
    .addOption(
      new Option(
        '--numbers <first-last>',
        'assign these numbers only, from now on: the range of one installation of several',
      )
        .argParser(numberRange)
        .conflicts('status'),
    )
    .action(async ({ status, numbers }) => {
      const { migrateAsOwner, withPool } = await import('../operator/command-database.ts');
      if (!status) {
        await migrateAsOwner(call, numbers);
        const count = numbers ? numbers.last - numbers.first + 1 : plentyOfNumbers;
        if (count < plentyOfNumbers)
          call.output.note(
            'If this is its first range, each change of a mirror takes one of these numbers, too: prefer 10^12.',
          );
        const range = numbers
          ? ` This installation has the numbers ${numbers.first} to ${numbers.last}.`
          : '';
        return call.output.answer({ migrated: true, ...numbers }, `The schema is up to date.${range}`);
      }
      const { migrationStates } = await import('@campaign-mirror/adapters-persistence/sql');
      const states = await withPool(call, (pool) => migrationStates(pool, { times: true }));
      await call.output.list(states, {
        object: ({ name, state, appliedAt }) => ({ name, state, applied_at: appliedAt }),
        columns: [
          { head: 'migration', cell: ({ name }) => name },
          { head: 'state', cell: ({ state }) => state },
          { head: 'applied', cell: ({ appliedAt }) => appliedAt },
        ],
        none: '',
      });
      if (states.some(({ state }) => state === 'unknown'))
        call.output.note('What is unknown was applied by a newer version: run that version.');
      if (!states.some(({ state }) => state === 'pending')) return;
      call.output.note('Some are pending: run `./campaign-mirror migrate` as the owner of the schema.');
      call.exitCode = exitCodes.refused;
    });
}

export function denylist(call: Call) {
  return leaf('denylist', 'list the hosts that no mirror may point to, or allow one again', [
    'denylist',
    'denylist --allow second.example',
  ])
    .option('--allow <host>', 'allow this host again, once no service names it in MIRROR_HOST_DENYLIST')
    .action(async ({ allow }) => {
      const { actOn } = await import('../operator/command-database.ts');
      const { allowHost, deniedHosts, openPool } = await import('@campaign-mirror/adapters-persistence/sql');
      await actOn(call, openPool, {}, async ({ database: { pool }, act }) => {
        if (allow === undefined) {
          const rows = (await deniedHosts(pool)).map((host) => ({ host }));
          const columns = [{ head: 'host', cell: ({ host }: { host: string }) => host }];
          return call.output.list(rows, { columns, none: 'No host is denied.' });
        }
        const compared = (entry: string) => {
          const list = hostList([entry]);
          return 'notAHost' in list ? entry : (entriesOf(list)[0] ?? entry);
        };
        const host = compared(allow);
        // A hand may have written it in another spelling.
        const stored = (await deniedHosts(pool)).filter((entry) => compared(entry) === host);
        if (stored.length === 0)
          throw new ClearError(`${host} is not in the list, which \`./campaign-mirror denylist\` shows`);
        for (const entry of stored) await allowHost(pool, act, entry);
        const sentence = `${host} is allowed again, by each service from its next start on.`;
        return call.output.answer({ host, allowed: true }, sentence);
      });
    });
}

export function doctor(call: Call) {
  return leaf(
    'doctor',
    'check settings, database, rights, versions, connections and disk, and say what to do; changes nothing',
    ['doctor', 'doctor --json'],
  ).action(async () => {
    const { examine } = await import('./examination.ts');
    for await (const [check, result] of examine(call)) {
      const { state, finding, advice } = result;
      let text = `${state.padEnd(8)} ${check.padEnd(11)} ${printable(finding)}`;
      if (advice !== null) text += `\n${' '.repeat(21)}${printable(advice)}`;
      await call.output.answer({ check, state, finding, advice }, text);
      if (state !== 'problem') continue;
      if (check === 'database') call.exitCode = exitCodes.away;
      else call.exitCode ||= exitCodes.refused;
    }
  });
}

export function config(call: Call) {
  return leaf(
    'config',
    'show the settings as this shell would start the service, where each comes from, and which database is used; hides secrets',
    ['config', 'config --json', 'config --example'],
  )
    .option('--example', 'print every setting with its default, as .env.example has them')
    .action(async ({ example }) => {
      const { output } = call;
      if (example) {
        return output.answer({ example: environmentExample() }, environmentExample().trimEnd());
      }
      const { settings: read, origins, notes } = readCommandSettings(call);
      const rows = (Object.keys(settings) as SettingName[]).map((name) => rowOf(name, origins[name]));
      const database = await describeDatabase(read);
      if (output.json) return output.object({ database, settings: rows, notes });
      await output.fields(Object.entries(database));
      await output.print('');
      await output.list(rows, {
        object: (row) => row,
        columns: [
          { head: 'setting', cell: ({ setting }) => setting },
          { head: 'value', cell: ({ value, hidden }) => (hidden ? '(set, hidden)' : value) },
          { head: 'from', cell: ({ from, file }) => (file ? `file ${file}` : from) },
        ],
        none: '',
      });
    });
}

/** A row of the answer. `value` is null if the setting has none, or if it is hidden. */
function rowOf(name: SettingName, { text, from, file }: Origin) {
  const hidden = settings[name].secret === true && text !== undefined;
  return { setting: name, value: hidden ? null : (text ?? null), hidden, from, file: file ?? null };
}

async function describeDatabase(read: Settings): Promise<Record<string, string>> {
  if (!isExternal(read)) {
    const { dataFolder } = await import('../database/database-access.ts');
    return { database: 'embedded', folder: dataFolder(read) };
  }
  const { address, tls } = externalDatabase(read);
  return { database: nameOf(address), user: String(address.user), tls };
}
