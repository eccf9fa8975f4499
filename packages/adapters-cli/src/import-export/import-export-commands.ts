import type { Operator } from '../commands/operator.ts';
import type { Call } from '../terminal/call.ts';
import { ClearError, orStopped } from '../terminal/errors.ts';
import { leaf } from '../terminal/leaf.ts';
import { counted } from '../terminal/text.ts';

export function importCommand(call: Call, operator: Operator) {
  return leaf({
    name: 'import',
    does: 'import campaigns and their mirrors from CSV: all of them, or none',
    examples: ['import campaigns.csv', 'import -'],
  })
    .argument('<file>', 'CSV as `export` writes it; - for standard input')
    .action(async (path, { json }) => {
      const { givenFile, readShown } = await import('../terminal/given-file.ts');
      const { tellOfBadLine } = await import('../words/line-faults.ts');
      const { importLines } = await import('./import-lines.ts');
      const file = await givenFile(path, call.stdin);
      const outcome = await operator.acting(
        ({ imports }, { deniedHosts }) => {
          const lines = importLines(readShown(call, 'Reading', file), deniedHosts);
          const importing = imports.importAll(file.name, lines, (bad) =>
            tellOfBadLine(call.output, json, bad),
          );
          return importing.catch((error) =>
            Promise.reject(orStopped(error, 'Stopped. Nothing was imported.')),
          );
        },
        { pace: 'unhurried' },
      );
      if (outcome.kind === 'refused') {
        const lines = outcome.badLines === 1 ? 'one line is' : `${outcome.badLines} lines are`;
        throw new ClearError(`nothing was imported, since ${lines} bad: fix the file, and import it again`);
      }
      const { campaigns, mirrors } = outcome;
      const sentence = `Imported: ${counted(campaigns, 'campaign')}, ${counted(mirrors, 'mirror')}.`;
      await call.output.answer(json, { campaigns, mirrors }, sentence);
    });
}

export function exportCommand(call: Call, operator: Operator) {
  return leaf({
    name: 'export',
    does: 'write a consistent snapshot of all campaigns and their mirrors as CSV',
    examples: ['export campaigns.csv', 'export'],
  })
    .argument('[file]', 'file to write; standard output by default or with -')
    .option('--force', 'overwrite an existing file')
    .action(async (path, { force: replace = false, json }) => {
      const { exportToFile, exportToOutput } = await import('./export-campaigns.ts');
      const { refuseTaken } = await import('../terminal/new-file.ts');
      const pace = 'unhurried';
      if (path === undefined || path === '-') {
        const left = 'what was written is not all';
        return operator.acting(({ exports }) => exportToOutput(exports, call, json), { pace, left });
      }
      const replacing = { replace, otherwise: 'name another file, or add --force' };
      await refuseTaken(path, replacing);
      const campaigns = await operator.acting(({ exports }) => exportToFile(exports, call, path, replacing), {
        pace,
        left: 'nothing was written',
      });
      const many = counted(campaigns, 'campaign was', 'campaigns were');
      await call.output.answer(json, { campaigns, file: path }, `${many} exported to ${path}.`);
    });
}
