import type { OperatorAccess } from '../commands/ports.ts';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { sourceName } from '../terminal/csv-file.ts';
import { ClearError, counted, escaped, orStopped } from '../terminal/errors.ts';
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
    .option('--allow-duplicates', 'import lines without an id even if one with their owner and name exists')
    .option('--ignore-columns', 'leave out the columns that are not known')
    .action(async (path, { dryRun = false, allowDuplicates = false, ignoreColumns = false }) => {
      const importing = operator.acting(
        ({ imports }, { deniedHosts }) => {
          const lines = importLines(call, path, ignoreColumns, deniedHosts);
          return imports.importAll(sourceName(path), lines, { dryRun, allowDuplicates });
        },
        { pace: 'unhurried' },
      );
      const { campaigns, mirrors, invalidLines, faults } = await importing.catch(
        stopped('Stopped. Nothing was imported.'),
      );
      for (const { line, column, fault, reason } of faults) {
        if (call.output.json) await call.output.object({ line, column, fault, reason });
        else await call.output.note(`line ${line}: ${column === null ? '' : `${column}: `}${reason}`);
      }
      if (invalidLines > 0) {
        const lines = counted(invalidLines, 'line is', 'lines are');
        const shown = faults.length < 1_000 ? '' : ' (the first 1,000 faults are above)';
        const isTaken = faults.some(({ fault }) => fault === 'campaign-taken');
        const hint = '; `./campaign-mirror mirror set --file` changes campaigns that are there';
        const remedy = `fix the file, and import it again${isTaken ? hint : ''}`;
        throw new ClearError(`nothing was imported, since ${lines} invalid${shown}: ${remedy}`);
      }
      const what = `${counted(campaigns, 'campaign')}, ${counted(mirrors, 'mirror')}.`;
      if (!dryRun) return call.output.answer({ campaigns, mirrors }, `Imported: ${what}`);
      const object = { campaigns, mirrors, dry_run: true };
      await call.output.answer(object, `Every line is valid; this would be imported: ${what}`);
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
      const decoder = new TextDecoder();
      const print = async (chunk: Uint8Array) => {
        const text = decoder.decode(chunk, { stream: true });
        await output.write(output.json ? escaped(text) : text);
        return !output.isReaderGone;
      };
      const exporting = operator.acting(
        ({ exports }) =>
          path === '-'
            ? exports.copyTo(output.json ? 'json' : 'csv', print)
            : writeNewFile(path, force, (write) => exports.copyTo('csv', write)),
        { pace: 'unhurried', state: path === '-' ? 'the output is incomplete' : 'nothing was written' },
      );
      const end = path === '-' ? 'The output is incomplete.' : 'Nothing was written.';
      const campaigns = await exporting.catch(stopped(`Stopped. ${end}`));
      if (path === '-') return;
      const sentence = `${counted(campaigns, 'campaign was', 'campaigns were')} exported to ${path}.`;
      await output.answer({ campaigns, file: path }, sentence);
    });
}

/** Rejects with the error or, if the command was stopped, with this message. */
const stopped = (message: string) => (error: unknown) => Promise.reject(orStopped(error, message));
