import { group, leaf } from '@campaign-mirror/adapters-cli';
import { type Call, ClearError, type Output } from '@campaign-mirror/adapters-cli/terminal';
import type { CreatedRole, RolesCreation } from '@campaign-mirror/adapters-persistence/sql';
import { passwordFile, writePasswords } from './role-passwords.ts';

export function rolesCommands(call: Call) {
  return group('roles', 'create the database roles of least privilege', [create(call)]);
}

function create(call: Call) {
  return leaf({
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
      const { commandSettings } = await import('../operator/command-settings.ts');
      const { withDatabase } = await import('../operator/command-database.ts');
      const { isYours } = await import('../settings/your-database.ts');
      if (!isYours(commandSettings(call))) {
        output.tell(
          'Nothing to do: the embedded database has its roles. This is for your own, by DATABASE_URL or PGHOST.',
        );
        return;
      }
      const { createRoles, defaultPoolLimits, openPool } = await import(
        '@campaign-mirror/adapters-persistence/sql'
      );
      await withDatabase(call, async ({ access }) => {
        const address = access.address('owner');
        const database = openPool(address, { ...defaultPoolLimits, size: 1 }, 'campaign-mirror operator');
        try {
          const done = await createRoles(database.pool, (created) => show(output, created, json, passwords));
          explain(output, done);
        } catch (error) {
          throw explained(error, address.user);
        } finally {
          await database.close();
        }
      });
    });
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
  if (folder !== undefined) await writePasswords(created, folder);
  const shown = (password: string | undefined) => (folder === undefined ? password : undefined);
  await output.list(created, {
    json,
    object: ({ role, name, password }) => ({
      role,
      name,
      created: password !== undefined,
      password: shown(password) ?? null,
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

/** @throws ClearError */
function explain(output: Output, done: RolesCreation): void {
  if (done.kind === 'not-the-owner') {
    throw new ClearError(
      `the ${done.of === 'schema' ? 'schema campaign_mirror' : 'database'} belongs to ${JSON.stringify(done.owner)}: ` +
        'run this as that user, who needs CREATEROLE too, or as a superuser',
    );
  }
  const { roles, schemaOwner, toMigrate } = done;
  const made = roles.filter(({ password }) => password !== undefined).length;
  output.tell(made === 0 ? 'All roles were there.' : 'The passwords cannot be shown again.');
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
