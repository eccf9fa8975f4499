import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { group, leaf } from '@campaign-mirror/adapters-cli';
import { type Call, ClearError, writeNewFile } from '@campaign-mirror/adapters-cli/terminal';
import type { CreatedRole } from '@campaign-mirror/adapters-persistence/sql';
import { isExternal } from '../settings/external-database.ts';

const purposes: Readonly<Record<CreatedRole['role'], string>> = {
  owner: './campaign-mirror migrate',
  operator: './campaign-mirror',
  service: 'npm start, with RUN_MIGRATIONS=false',
  redirector: 'your redirector',
};

export function rolesCommands(call: Call) {
  const create = leaf(
    'create',
    'create the database roles that are missing, as a superuser; their passwords are shown once',
    ['roles create', 'roles create --json', 'roles create --passwords /run/campaign-mirror'],
  )
    .option(
      '--passwords <folder>',
      'write each password to FOLDER/ROLE/password, for PGPASSWORD_FILE, and show none',
    )
    .action(async ({ passwords }) => {
      const { output } = call;
      const { readCommandSettings } = await import('../settings/read-settings.ts');
      if (!isExternal(readCommandSettings(call))) {
        return output.note(
          'Nothing to do: the embedded database has its roles. This is for your own, by DATABASE_URL or PGHOST.',
        );
      }
      const { createRoles } = await import('@campaign-mirror/adapters-persistence/sql');
      const { withPool } = await import('../operator/command-database.ts');
      const { roles, schemaOwner } = await withPool(call, 'owner', (pool, { user }) =>
        createRoles(pool, (created) => handOver(call, created, passwords)).catch((error) => {
          if (error.code !== '42501') throw error;
          throw new ClearError(
            `the user ${JSON.stringify(user)} may not create roles: run this as a superuser, ` +
              'or as the owner of the database with CREATEROLE',
          );
        }),
      );
      const isNew = roles.some(({ password }) => password !== undefined);
      output.note(isNew ? 'The passwords cannot be shown again.' : 'All roles exist already.');
      if (schemaOwner !== undefined)
        output.note(`The schema belongs to ${JSON.stringify(schemaOwner)}, who has to go on migrating it.`);
      const who = schemaOwner ?? 'campaign_mirror_owner';
      output.note(`Next: \`./campaign-mirror migrate\` as ${who}, which gives the roles their rights.`);
    });
  return group('roles', 'create the database roles of least privilege', [create]);
}

/**
 * Shows the passwords before the roles are created: a role whose password nobody has seen would be of no use. In `folder`,
 * each has a folder of its own, which can be given to its own program only. @throws ClearError
 */
async function handOver(
  { output }: Call,
  created: readonly CreatedRole[],
  folder: string | undefined,
): Promise<void> {
  const rows = created.map((one) => ({ ...one, file: folder && join(folder, one.role, 'password') }));
  for (const { file, password } of rows) if (file && password) await writePassword(file, password);
  await output.list(rows, {
    object: ({ role, name, password, file }) => ({
      role,
      name,
      created: password !== undefined,
      password: (!file && password) || null,
    }),
    columns: [
      { head: 'role', cell: ({ name }) => name },
      {
        head: 'password',
        cell: ({ password, file }) => {
          if (password === undefined) return '(exists already, left as it is)';
          return file ? `in ${file}` : password;
        },
      },
      { head: 'for', cell: ({ role }) => purposes[role] },
    ],
    none: '',
  });
  if (!(await output.isWritten()))
    throw new ClearError('standard output did not take the passwords: no role was created; run it again');
}

/** An existing file belongs to a role that no longer exists, or to a failed attempt. @throws ClearError */
async function writePassword(path: string, password: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new ClearError(`${dirname(path)} cannot be created (${code}): no role was created`);
  });
  await writeNewFile(path, [`${password}\n`], true);
}
