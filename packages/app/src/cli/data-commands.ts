import { acting } from './acting.ts';
import { leaf } from './leaf.ts';
import { answer } from './output.ts';

export function dataCommands() {
  return [importCommand(), exportCommand(), backup(), restore()];
}

function importCommand() {
  return leaf({
    name: 'import',
    does: 'import campaigns and their mirrors from CSV: all of them, or none',
    examples: ['import campaigns.csv', 'import -'],
  })
    .argument('<file>', 'what `export` has written, or the like; - for standard input')
    .action(async (path, { json }) => {
      const { givenFile } = await import('./given-file.ts');
      const { importCampaigns } = await import('./import-campaigns.ts');
      const { ClearError } = await import('../clear-error.ts');
      const { unhurried } = await import('../operator.ts');
      const file = await givenFile(path);
      const outcome = await acting((all) => importCampaigns(all, file, json), unhurried);
      if (outcome.kind === 'refused') {
        const lines = outcome.badLines === 1 ? 'one line is' : `${outcome.badLines} lines are`;
        throw new ClearError(`nothing was imported, since ${lines} bad: mend the file, and import it again`);
      }
      const { campaigns, mirrors } = outcome;
      await answer(json, { campaigns, mirrors }, `Imported: ${campaigns} campaigns, ${mirrors} mirrors.`);
    });
}

function exportCommand() {
  return leaf({
    name: 'export',
    does: 'write all campaigns and their mirrors as CSV, as they are at one moment',
    examples: ['export campaigns.csv', 'export'],
  })
    .argument('[file]', 'where to; without it to standard output')
    .option('--force', 'write over a file that is there')
    .action(async (path, { force: replace = false, json }) => {
      const { exportToFile, exportToOutput } = await import('./export-campaigns.ts');
      const { refuseTaken } = await import('./new-file.ts');
      const { unhurried } = await import('../operator.ts');
      if (path === undefined) return acting((all) => exportToOutput(all, json), unhurried);
      const replacing = { replace, otherwise: 'name another file, or add --force' };
      await refuseTaken(path, replacing);
      const campaigns = await acting((all) => exportToFile(all, path, replacing), unhurried);
      await answer(json, { campaigns, file: path }, `${campaigns} campaigns were exported to ${path}.`);
    });
}

function backup() {
  return leaf({
    name: 'backup',
    does: 'write everything to a file, history and hashes of keys included, as it is at one moment',
    examples: ['backup mirrors.backup'],
  })
    .argument('<file>', 'where to; it must not be there yet')
    .action(async (path, { json }) => {
      const { backUp } = await import('./backup-database.ts');
      const { refuseTaken } = await import('./new-file.ts');
      const { unhurried } = await import('../operator.ts');
      const replacing = { otherwise: 'name another file' };
      await refuseTaken(path, replacing);
      const rows = await acting((all) => backUp(all, path, replacing), unhurried);
      await answer(json, { rows, file: path }, `${rows} rows were written to ${path}.`);
    });
}

function restore() {
  return leaf({
    name: 'restore',
    does: 'put a backup into a database where there is nothing yet, also into another or a newer PostgreSQL',
    examples: ['restore mirrors.backup'],
  })
    .argument('<file>', 'what `backup` has written')
    .action(async (path, { json }) => {
      const { givenFile } = await import('./given-file.ts');
      const { restoreFrom } = await import('./backup-database.ts');
      const { unhurried } = await import('../operator.ts');
      const file = await givenFile(path);
      const rows = await acting((all) => restoreFrom(all, file), unhurried);
      const { campaigns, mirrors, access_keys, mirror_history } = rows;
      await answer(
        json,
        rows,
        `Restored: ${campaigns} campaigns, ${mirrors} mirrors, ${access_keys} keys, ${mirror_history} changes.`,
      );
    });
}
