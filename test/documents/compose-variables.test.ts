import { expect } from 'chai';
import { read } from '../support/workspace.ts';

/** `${NAME:-DEFAULT}` */
function variablesOf(compose: string): Record<string, string> {
  const found = [...compose.matchAll(/(?<!\$)\$\{(\w+)(?::-([^}]*))?\}/g)];
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value]));
}

/** The rows of the table, by their names, with their defaults. */
function documented(page: string): Record<string, string> {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (?:`([^`]*)`|empty) \|/gm)];
  return Object.fromEntries(rows.map(([, name = '', value = '']) => [name, value]));
}

describe('docs/how-to/compose.md', () => {
  it('lists every variable of compose.yaml, with its default', async () => {
    const variables = variablesOf(await read('compose.yaml'));
    expect(variables).not.to.deep.equal({});
    expect(documented(await read('docs/how-to/compose.md'))).to.deep.equal(variables);
  });
});
