import { campaignColumns, campaignRow } from '@campaign-mirror/domain/operator';
import type { OperatorAccess } from '../commands/ports.ts';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { csvOf, sourceName } from '../terminal/csv-file.ts';
import { ClearError, counted, orStopped } from '../terminal/errors.ts';
import { writeNewFile } from '../terminal/new-file.ts';
import { importLines } from './imported-campaign.ts';

export function importCommand(call: Call, operator: OperatorAccess) {
  return leaf('import', 'import campaigns and their mirrors from CSV: all of them, or none', [
    'import campaigns.csv',
    'import campaigns.csv --dry-run',
    'import -',
  ])
    .argument('<file>', 'CSV as `export` writes it; - for standard input')
    .option('--dry-run', 'check every line, and change nothing')
    .option(
      '--allow-duplicates',
      'import lines without an id even if a campaign or an earlier line has their owner and name',
    )
    .option('--ignore-columns', 'leave out the columns that are not known')
    .action(async (path, { dryRun = false, allowDuplicates = false, ignoreColumns = false }) => {
      const importing = operator.acting(
        ({ imports }, { deniedHosts }) => {
          const lines = importLines(call, path, ignoreColumns, deniedHosts);
          return imports.importAll(sourceName(path), lines, { dryRun, allowDuplicates });
        },
        { pace: 'unhurried' },
      );
      const { campaigns, mirrors, badLines, faults } = await importing.catch(
        stopped('Stopped. Nothing was imported.'),
      );
      for (const { line, column, fault, reason } of faults) {
        if (call.output.json) await call.output.object({ line, column, fault, reason });
        else await call.output.note(`line ${line}: ${column === null ? '' : `${column}: `}${reason}`);
      }
      if (badLines > 0) {
        const lines = counted(badLines, 'line is', 'lines are');
        const shown = faults.length < 1_000 ? '' : ' (the first 1,000 faults are above)';
        const isTaken = faults.some(({ fault }) => fault === 'campaign-taken');
        const hint = '; `./campaign-mirror mirror set --file` changes campaigns that are there';
        const remedy = `fix the file, and import it again${isTaken ? hint : ''}`;
        throw new ClearError(`nothing was imported, since ${lines} bad${shown}: ${remedy}`);
      }
      const what = `${counted(campaigns, 'campaign')}, ${counted(mirrors, 'mirror')}.`;
      if (!dryRun) return call.output.answer({ campaigns, mirrors }, `Imported: ${what}`);
      const object = { campaigns, mirrors, dry_run: true };
      await call.output.answer(object, `No line is bad; this would be imported: ${what}`);
    });
}

export function exportCommand(call: Call, operator: OperatorAccess) {
  return leaf('export', 'write a consistent snapshot of all campaigns and their mirrors as CSV', [
    'export campaigns.csv',
    'export',
  ])
    .argument('[file]', 'file to write; standard output by default or with -')
    .option('--force', 'overwrite an existing file')
    .action(async (path = '-', { force = false }) => {
      const { output } = call;
      let campaigns = 0;
      const exporting = operator.acting(
        async ({ exports }) => {
          const rows = (async function* () {
            for await (const campaign of exports.all()) {
              campaigns += 1;
              yield campaignRow(campaign);
            }
          })();
          if (path !== '-') return writeNewFile(path, csvOf(rows, campaignColumns), force);
          for await (const part of output.json ? rows : csvOf(rows, campaignColumns)) {
            await (output.json ? output.object(part) : output.write(String(part)));
            if (output.isReaderGone) break;
          }
        },
        { pace: 'unhurried', state: path === '-' ? 'the output is incomplete' : 'nothing was written' },
      );
      const end = path === '-' ? 'The output is incomplete.' : 'Nothing was written.';
      await exporting.catch(stopped(`Stopped. ${end}`));
      if (path === '-') return;
      const sentence = `${counted(campaigns, 'campaign was', 'campaigns were')} exported to ${path}.`;
      await output.answer({ campaigns, file: path }, sentence);
    });
}

/** Rejects with the error or, if the command was stopped, with this message. */
const stopped = (message: string) => (error: unknown) => Promise.reject(orStopped(error, message));
