import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { type Role, roles } from '@campaign-mirror/adapters-persistence/sql';
import {
  type EmbeddedDatabase,
  EmbeddedError,
  type EmbeddedOptions,
  openEmbeddedDatabase,
} from '@campaign-mirror/embedded-postgres';
import { projectFolder } from './project-folder.ts';

type Options = Omit<EmbeddedOptions<Role>, 'project' | 'roles'>;

/** The embedded database with this project's roles, run by this project's programs. @throws ClearError */
export async function openOwnDatabase(options: Options): Promise<EmbeddedDatabase<Role>> {
  const { onGivenUp } = options;
  const database = await clearly(
    openEmbeddedDatabase({
      ...options,
      project: projectFolder,
      roles,
      ...(onGivenUp && { onGivenUp: (error) => onGivenUp(clear(error)) }),
    }),
  );
  return { ...database, becomeService: () => clearly(database.becomeService()) };
}

const clearly = <T>(acting: Promise<T>): Promise<T> =>
  acting.catch((error: unknown) => {
    throw clear(error);
  });

const clear = <E>(error: E): E | ClearError =>
  error instanceof EmbeddedError ? new ClearError(error.message) : error;
