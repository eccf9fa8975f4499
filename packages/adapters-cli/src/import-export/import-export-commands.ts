import type { BadLine } from '@campaign-mirror/domain';
import type { OperatorAccess } from '../commands/operator.ts';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, counted, orStopped } from '../terminal/errors.ts';

export function importCommand(call: Call, operator: OperatorAccess) {
  return leaf('import', 'import campaigns and their mirrors from CSV: all of them, or none', [
    'import campaigns.csv',
    'import campaigns.csv --dry-run',
    'import -',
  ])
    .argument('<file>', 'CSV as `export` writes it; - for standard input')
    .option('--dry-run', 'check every line, and change nothing')
    .option('--allow-duplicates', 'import lines without an id even where a campaign has their owner and name')
    .action(async (path, { dryRun = false, allowDuplicates = false, json }) => {
      const { givenFile, readShown } = await import('../terminal/given-file.ts');
      const { faultInWords } = await import('../commands/words.ts');
      const { importLines } = await import('./import-lines.ts');
      const file = await givenFile(path, call.stdin);
      const importing = operator.acting(
        ({ imports }, { deniedHosts }) => {
          const lines = importLines(readShown(call, 'Reading', file), deniedHosts);
          const report = ({ line, fault }: BadLine) => {
            const [column, reason] = faultInWords(fault);
            if (json) return call.output.object({ line, column, fault: fault.kind, reason });
            return call.output.note(`line ${line}: ${column === null ? '' : `${column}: `}${reason}`);
          };
          return imports.importAll(file.name, lines, report, { dryRun, allowDuplicates });
        },
        { pace: 'unhurried' },
      );
      const outcome = await importing.catch(stopped('Stopped. Nothing was imported.'));
      if (outcome.kind === 'refused') {
        const lines = outcome.badLines === 1 ? 'one line is' : `${outcome.badLines} lines are`;
        throw new ClearError(`nothing was imported, since ${lines} bad: fix the file, and import it again`);
      }
      if (outcome.kind === 'duplicates') {
        const doubled = `${counted(outcome.lines, 'line has', 'lines have')} no id, and the owner and name of a campaign that is there`;
        const remedy = 'give them their ids, leave them out, or add --allow-duplicates';
        throw new ClearError(`nothing was imported, since ${doubled}: ${remedy}`);
      }
      const { campaigns, mirrors } = outcome;
      const what = `${counted(campaigns, 'campaign')}, ${counted(mirrors, 'mirror')}.`;
      if (outcome.kind === 'imported')
        return call.output.answer(json, { campaigns, mirrors }, `Imported: ${what}`);
      const object = { campaigns, mirrors, dry_run: true };
      await call.output.answer(json, object, `No line is bad; this would be imported: ${what}`);
    });
}

export function exportCommand(call: Call, operator: OperatorAccess) {
  return leaf('export', 'write a consistent snapshot of all campaigns and their mirrors as CSV', [
    'export campaigns.csv',
    'export',
  ])
    .argument('[file]', 'file to write; standard output by default or with -')
    .option('--force', 'overwrite an existing file')
    .action(async (path, { force: replace = false, json }) => {
      const { exportToFile, exportToOutput } = await import('./export-campaigns.ts');
      const { refuseTaken } = await import('../terminal/new-file.ts');
      const pace = 'unhurried';
      if (path === undefined || path === '-') {
        const left = 'what was written is not all';
        const exporting = operator.acting(({ exports }) => exportToOutput(exports, call, json), {
          pace,
          left,
        });
        return exporting.catch(stopped('Stopped. What was written is not all.'));
      }
      const replacing = { replace, otherwise: 'name another file, or add --force' };
      await refuseTaken(path, replacing);
      const exporting = operator.acting(({ exports }) => exportToFile(exports, call, path, replacing), {
        pace,
        left: 'nothing was written',
      });
      const campaigns = await exporting.catch(stopped('Stopped. Nothing was written.'));
      const many = counted(campaigns, 'campaign was', 'campaigns were');
      await call.output.answer(json, { campaigns, file: path }, `${many} exported to ${path}.`);
    });
}

const stopped = (message: string) => (error: unknown) => Promise.reject(orStopped(error, message));
