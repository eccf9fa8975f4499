import type { ImportFault } from '@campaign-mirror/domain/operator';
import type { OperatorAccess } from '../commands/ports.ts';
import { leaf } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, counted, orStopped } from '../terminal/errors.ts';
import type { BadLine } from './imported-campaign.ts';

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
    .action(async (path, { dryRun = false, allowDuplicates = false, ignoreColumns }) => {
      const { csvFile, named } = await import('../terminal/csv-file.ts');
      const { importLines } = await import('./campaign-file.ts');
      const { refusedLine } = await import('./imported-campaign.ts');
      const file = await csvFile(path, call.stdin);
      const print = ({ line, column, fault, reason }: BadLine) => {
        if (call.output.json) return call.output.object({ line, column, fault, reason });
        return call.output.note(`line ${line}: ${column === null ? '' : `${column}: `}${reason}`);
      };
      const unread: BadLine[] = [];
      let printed = 0;
      /** Prints the faults of unread lines: those before a line that the store refuses, or all. */
      const printUnread = async (before = Number.POSITIVE_INFINITY) => {
        for (let bad = unread[printed]; bad && bad.line < before; bad = unread[++printed]) await print(bad);
      };
      let isThere = false;
      const importing = operator.acting(
        ({ imports }, { deniedHosts }) => {
          const leaveOut = (headings: readonly string[]) =>
            call.output.note(`Left out: the columns ${named(headings)}.`);
          const lines = importLines(call, file, deniedHosts, ignoreColumns && leaveOut, unread);
          const report = async (line: number, fault: ImportFault) => {
            if (fault.kind === 'campaign-taken' && fault.line === null) isThere = true;
            await printUnread(line);
            await print(refusedLine(line, fault));
          };
          return imports.importAll(file.name, lines, report, { dryRun, allowDuplicates });
        },
        { pace: 'unhurried' },
      );
      const outcome = await importing.catch(stopped('Stopped. Nothing was imported.'));
      if (outcome.kind === 'refused') {
        await printUnread();
        const lines = counted(outcome.badLines, 'line is', 'lines are');
        const remedy = isThere
          ? '; `./campaign-mirror mirror set --file` changes campaigns that are there'
          : '';
        throw new ClearError(
          `nothing was imported, since ${lines} bad: fix the file, and import it again${remedy}`,
        );
      }
      const { campaigns, mirrors } = outcome;
      const what = `${counted(campaigns, 'campaign')}, ${counted(mirrors, 'mirror')}.`;
      if (dryRun) {
        const object = { campaigns, mirrors, dry_run: true };
        return call.output.answer(object, `No line is bad; this would be imported: ${what}`);
      }
      await call.output.answer({ campaigns, mirrors }, `Imported: ${what}`);
    });
}

export function exportCommand(call: Call, operator: OperatorAccess) {
  return leaf('export', 'write a consistent snapshot of all campaigns and their mirrors as CSV', [
    'export campaigns.csv',
    'export',
  ])
    .argument('[file]', 'file to write; standard output by default or with -')
    .option('--force', 'overwrite an existing file')
    .action(async (path, { force: replace = false }) => {
      const { exportToFile, exportToOutput } = await import('./campaign-file.ts');
      const { refuseTaken } = await import('../terminal/new-file.ts');
      if (path === undefined || path === '-') {
        const options = { pace: 'unhurried', state: 'the output is incomplete' } as const;
        const exporting = operator.acting(({ exports }) => exportToOutput(exports, call), options);
        return exporting.catch(stopped('Stopped. The output is incomplete.'));
      }
      await refuseTaken(path, replace);
      const exporting = operator.acting(({ exports }) => exportToFile(exports, path, replace), {
        pace: 'unhurried',
        state: 'nothing was written',
      });
      const campaigns = await exporting.catch(stopped('Stopped. Nothing was written.'));
      const sentence = `${counted(campaigns, 'campaign was', 'campaigns were')} exported to ${path}.`;
      await call.output.answer({ campaigns, file: path }, sentence);
    });
}

/** Rejects with the error or, if the command was stopped, with this message. */
const stopped = (message: string) => (error: unknown) => Promise.reject(orStopped(error, message));
