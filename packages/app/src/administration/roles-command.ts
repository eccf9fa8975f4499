import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { group, leaf } from '@campaign-mirror/adapters-cli';
import { type Call, ClearError, type Output, writeNewFile } from '@campaign-mirror/adapters-cli/terminal';
import type { CreatedRole, RolesCreation } from '@campaign-mirror/adapters-persistence/sql';

export function rolesCommands(call: Call) {
  const create = leaf({
    name: 'create',
    does: 'create the database roles that are missing, as a superuser; their passwords are shown once',
    examples: ['roles create', 'roles create --json', 'roles create --passwords /run/campaign-mirror'],
  })
    .option(
      '--passwords <folder>',
      'write each password to FOLDER/ROLE/password, for PGPASSWORD_FILE, and show none',
    )
    .action(async ({ json, passwords }) => {
      const { output } = call;
      const { readCommandSettings } = await import('../operator/command-settings.ts');
      const { isYours } = await import('../settings/your-database.ts');
      if (!isYours(readCommandSettings(call).settings)) {
        return output.tell(
          'Nothing to do: the embedded database has its roles. This is for your own, by DATABASE_URL or PGHOST.',
        );
      }
      const { createRoles } = await import('@campaign-mirror/adapters-persistence/sql');
      const { withPool } = await import('../operator/command-database.ts');
      await withPool(call, 'owner', async (pool, { user }) => {
        const done = await createRoles(pool, (created) => show(output, created, json, passwords)).catch(
          (error) => Promise.reject(explained(error, user)),
        );
        explain(output, done);
      });
    });
  return group('roles', 'create the database roles of least privilege', [create]);
}

const purposes: Readonly<Record<CreatedRole['role'], string>> = {
  owner: './campaign-mirror migrate',
  operator: './campaign-mirror',
  service: 'npm start, with RUN_MIGRATIONS=false',
  redirector: 'your redirector',
};

/**
 * Before they take effect: passwords that were never shown would be of no use. With a folder, they are written there
 * instead. @throws ClearError
 */
async function show(
  output: Output,
  created: readonly CreatedRole[],
  json: boolean | undefined,
  folder: string | undefined,
): Promise<void> {
  if (folder !== undefined) for (const one of created) await writePassword(one, folder);
  await output.list(created, {
    json,
    object: ({ role, name, password }) => ({
      role,
      name,
      created: password !== undefined,
      password: (folder === undefined && password) || null,
    }),
    columns: [
      { head: 'role', cell: ({ name }) => name },
      {
        head: 'password',
        cell: ({ role, password }) => {
          if (password === undefined) return '(there already, left as it is)';
          return folder === undefined ? password : `in ${passwordFile(folder, role)}`;
        },
      },
      { head: 'for', cell: ({ role }) => purposes[role] },
    ],
    none: '',
  });
  if (!(await output.isTaken()))
    throw new ClearError('standard output did not take the passwords: no role was created; run it again');
}

/** One folder per role, so that each can be given to its own program only. */
const passwordFile = (folder: string, role: CreatedRole['role']) => join(folder, role, 'password');

/**
 * Writes the password of a new role, readable by this user only. An existing file belongs to a role that no longer
 * exists, or to a failed attempt. @throws ClearError when it cannot be written
 */
async function writePassword({ role, password }: CreatedRole, folder: string): Promise<void> {
  if (password === undefined) return;
  const path = passwordFile(folder, role);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new ClearError(`${dirname(path)} cannot be made (${code}): no role was created`);
  });
  const contents = async function* () {
    yield `${password}\n`;
  };
  await writeNewFile(path, contents(), { replace: true, otherwise: '' });
}

/** @throws ClearError */
function explain(output: Output, done: RolesCreation): void {
  if (done.kind === 'not-the-owner') {
    throw new ClearError(
      `the ${done.of === 'schema' ? 'schema campaign_mirror' : 'database'} belongs to ${JSON.stringify(done.owner)}: ` +
        'run this as that user, who needs CREATEROLE too, or as a superuser',
    );
  }
  const { roles, schemaOwner, toMigrate } = done;
  const isNew = roles.some(({ password }) => password !== undefined);
  output.tell(isNew ? 'The passwords cannot be shown again.' : 'All roles were there.');
  if (schemaOwner !== undefined) {
    output.tell(`The schema belongs to ${JSON.stringify(schemaOwner)}, who has to go on migrating it.`);
  }
  if (toMigrate) {
    const who = schemaOwner ?? 'campaign_mirror_owner';
    output.tell(`Next: \`./campaign-mirror migrate\` as ${who}, which gives the roles their rights.`);
  }
}

function explained(error: unknown, user: string | undefined): unknown {
  const { code } = error as { code?: string };
  if (code === '42501') {
    return new ClearError(
      `the user ${JSON.stringify(user)} may not create roles: run this as a superuser, ` +
        'or as the owner of the database with CREATEROLE',
    );
  }
  if (code === '42710' || code === '23505')
    return new ClearError('another session has just created these roles: nothing was done; run it again');
  return error;
}
