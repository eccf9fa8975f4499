import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

/** They mean what `verify-full` does, as they do to node-postgres 8, which warns of it in many lines. */
const asStrict = new Set(['prefer', 'require', 'verify-ca']);

/** What a DATABASE_URL says; it reads the files that the URL names. @throws where it can not be understood */
export function databaseConfig(text: string): ClientConfig {
  const given = URL.parse(text)?.searchParams;
  const isAlias = asStrict.has(given?.getAll('sslmode').at(-1) ?? '');
  if (!isAlias || given?.getAll('uselibpqcompat').at(-1) === 'true') return parseIntoClientConfig(text);
  // Of several the last one holds. A fragment, where there is one, comes behind the parameters.
  return parseIntoClientConfig(text.replace(/(?=#|$)/, '&sslmode=verify-full'));
}
