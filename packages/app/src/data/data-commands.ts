import { ClearError } from '../logging/clear-error.ts';
import { acting } from '../operator/acting.ts';
import type { Call } from '../terminal/call.ts';
import { counted } from '../terminal/counted.ts';
import { leaf } from '../terminal/leaf.ts';

export function importCommand(call: Call) {
  return leaf({
    name: 'import',
    does: 'import campaigns and their mirrors from CSV: all of them, or none',
    examples: ['import campaigns.csv', 'import -'],
  })
    .argument('<file>', 'what `export` has written, or the like; - for standard input')
    .action(async (path, { json }) => {
      const { givenFile } = await import('../terminal/given-file.ts');
      const { importCampaigns } = await import('./import-campaigns.ts');
      const { unhurried } = await import('../operator/operator.ts');
      const file = await givenFile(path, call.stdin);
      const outcome = await acting(call, (all) => importCampaigns(all, file, json), unhurried);
      if (outcome.kind === 'refused') {
        const lines = outcome.badLines === 1 ? 'one line is' : `${outcome.badLines} lines are`;
        throw new ClearError(`nothing was imported, since ${lines} bad: mend the file, and import it again`);
      }
      const { campaigns, mirrors } = outcome;
      const sentence = `Imported: ${counted(campaigns, 'campaign')}, ${counted(mirrors, 'mirror')}.`;
      await call.output.answer(json, { campaigns, mirrors }, sentence);
    });
}

export function exportCommand(call: Call) {
  return leaf({
    name: 'export',
    does: 'write all campaigns and their mirrors as CSV, as they are at one moment',
    examples: ['export campaigns.csv', 'export'],
  })
    .argument('[file]', 'where to; without it, or with -, to standard output')
    .option('--force', 'write over a file that is there')
    .action(async (path, { force: replace = false, json }) => {
      const { exportToFile, exportToOutput } = await import('./export-campaigns.ts');
      const { refuseTaken } = await import('../terminal/new-file.ts');
      const { unhurried } = await import('../operator/operator.ts');
      if (path === undefined || path === '-')
        return acting(call, (all) => exportToOutput(all, json), unhurried);
      const replacing = { replace, otherwise: 'name another file, or add --force' };
      await refuseTaken(path, replacing);
      const campaigns = await acting(call, (all) => exportToFile(all, path, replacing), unhurried);
      const many = counted(campaigns, 'campaign was', 'campaigns were');
      await call.output.answer(json, { campaigns, file: path }, `${many} exported to ${path}.`);
    });
}

export function backup(call: Call) {
  return leaf({
    name: 'backup',
    does: 'write everything to a file, history and hashes of keys included, as it is at one moment',
    examples: ['backup mirrors.backup'],
  })
    .argument('<file>', 'where to; it must not be there yet')
    .action(async (path, { json }) => {
      if (path === '-') {
        throw new ClearError('a backup is not written to standard output: name a file', 'usage');
      }
      const { backUp } = await import('./backup-database.ts');
      const { refuseTaken } = await import('../terminal/new-file.ts');
      const { unhurried } = await import('../operator/operator.ts');
      const replacing = { otherwise: 'name another file' };
      await refuseTaken(path, replacing);
      const rows = await acting(call, (all) => backUp(all, path, replacing), unhurried);
      const many = counted(rows, 'row was', 'rows were');
      await call.output.answer(json, { rows, file: path }, `${many} written to ${path}.`);
    });
}

export function restore(call: Call) {
  return leaf({
    name: 'restore',
    does: 'put a backup into a database where there is nothing yet, also into another or a newer PostgreSQL',
    examples: ['restore mirrors.backup'],
  })
    .argument('<file>', 'what `backup` has written; - for standard input')
    .action(async (path, { json }) => {
      const { givenFile } = await import('../terminal/given-file.ts');
      const { restoreFrom } = await import('./backup-database.ts');
      const { unhurried } = await import('../operator/operator.ts');
      const file = await givenFile(path, call.stdin);
      const rows = await acting(call, (all) => restoreFrom(all, file), unhurried);
      const many = [
        counted(rows.campaigns, 'campaign'),
        counted(rows.mirrors, 'mirror'),
        counted(rows.access_keys, 'key'),
        counted(rows.mirror_history, 'change'),
      ];
      await call.output.answer(json, rows, `Restored: ${many.join(', ')}.`);
    });
}
