import { leaf } from '@campaign-mirror/adapters-cli';
import { type Call, ClearError, counted } from '@campaign-mirror/adapters-cli/terminal';

export function backup(call: Call) {
  return leaf(
    'backup',
    'write a consistent snapshot of everything to a file, including the history and the hashes of keys',
    ['backup mirrors.backup'],
  )
    .argument('<file>', 'file to write; it must not exist yet')
    .action(async (path, { json }) => {
      if (path === '-')
        throw new ClearError('a backup is not written to standard output: name a file', 'usage');
      const { backUp } = await import('./backup-database.ts');
      const rows = await backUp(call, path);
      const many = counted(rows, 'row was', 'rows were');
      await call.output.answer(json, { rows, file: path }, `${many} written to ${path}.`);
    });
}

export function restore(call: Call) {
  return leaf(
    'restore',
    'restore a backup into a database without data, on any server and also on a newer PostgreSQL',
    ['restore mirrors.backup'],
  )
    .argument('<file>', 'file that `backup` wrote; - for standard input')
    .action(async (path, { json }) => {
      const { givenFile } = await import('@campaign-mirror/adapters-cli/progress');
      const { restoreFrom } = await import('./backup-database.ts');
      const rows = await restoreFrom(call, await givenFile(path, call.stdin));
      const many = [
        counted(rows.campaigns, 'campaign'),
        counted(rows.mirrors, 'mirror'),
        counted(rows.access_keys, 'key'),
        counted(rows.mirror_history, 'change'),
      ];
      await call.output.answer(json, rows, `Restored: ${many.join(', ')}.`);
    });
}
