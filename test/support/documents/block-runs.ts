import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { roles } from '@campaign-mirror/adapters-persistence';
import pg from 'pg';
import { openOwnDatabase } from '../../../packages/app/src/database/embedded-database.ts';
import { command } from '../commands/command.ts';
import { type DedicatedServer, dedicatedServer } from '../database/dedicated-server.ts';
import { type Listening, listeningService, projectFolder, start } from '../process/service-process.ts';
import { outputOf, typescript } from '../process/typescript.ts';
import type { Account, Block } from './blocks.ts';

type EmbeddedUser = Parameters<Awaited<ReturnType<typeof openOwnDatabase>>['address']>[0];
type Variables = Readonly<Record<string, string>>;

/** Runs the blocks of the documents, with what they need: each thing is started when the first block asks for it. */
export class BlockRuns {
  #folder: string | undefined;
  #service: (Listening & { readonly variables: Variables }) | undefined;
  #server: DedicatedServer | undefined;

  /** What the block prints on standard output. @throws Error when it fails */
  run(block: Block, account: Account): Promise<string> {
    if (account.kind === 'service') return this.#onService(block.text);
    if (account.kind === 'ts') return typescript({ 'block.ts': block.text });
    if (account.kind !== 'database') throw new TypeError(`a block that is ${account.kind} is not run`);
    if (block.language === 'sh') return this.#onServer(block.text);
    return this.#query(block.text, account);
  }

  /** Ends the service, which has to end with 0, and removes everything. */
  async close(): Promise<void> {
    const ended = await this.#service?.process.stop();
    await this.#server?.remove();
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
    if (ended && ended.code !== 0) throw new Error(`the service ended with ${ended.code ?? ended.signal}`);
  }

  async #onService(script: string): Promise<string> {
    const { base, ops, variables } = await this.#running();
    const here = script.replaceAll('http://127.0.0.1:3000', base).replaceAll('http://127.0.0.1:3001', ops);
    return this.#shell(here, 'service', variables);
  }

  async #onServer(script: string): Promise<string> {
    const { host, port } = await this.#bareServer();
    const here = script.replace(/\b(postgres(?:ql)?:\/\/[^\s@/]*@)[^\s/]+/g, `$1${host}:${port}`);
    return this.#shell(here, 'server', { PGHOST: host, PGPORT: String(port), PGUSER: 'postgres' });
  }

  async #query(sql: string, { role, database }: Account & { kind: 'database' }): Promise<string> {
    if (role && !database) return this.#queryService(sql, role);
    await this.#bareServer();
    return query(this.#server?.address(role ? userOf(role) : 'postgres', database ?? 'postgres'), sql);
  }

  async #queryService(sql: string, role: string): Promise<string> {
    await this.#running();
    const embedded = await openOwnDatabase({ folder: join(await this.#temporary(), 'data') });
    try {
      return await query(embedded.address(role as EmbeddedUser), sql);
    } finally {
      await embedded.close();
    }
  }

  /** Variables that the script sets are there for the next one of its kind. */
  async #shell(script: string, kind: 'service' | 'server', variables: Variables): Promise<string> {
    const folder = await this.#temporary();
    const [file, kept] = [join(folder, 'block.sh'), join(folder, `${kind}.sh`)];
    await writeFile(kept, '', { flag: 'a' });
    await writeFile(file, `set -ea\n. '${kept}'\n${script}\nexport -p > '${kept}'\n`);
    const path = `${join(projectFolder, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`;
    return outputOf(start('sh', [file], { ...variables, PATH: path, TMPDIR: folder }));
  }

  async #temporary(): Promise<string> {
    if (!this.#folder) {
      this.#folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-readme-'));
      // The database does not run as root: another user has to pass through.
      await chmod(this.#folder, 0o711);
    }
    return this.#folder;
  }

  async #running() {
    if (!this.#service) {
      const DATA_DIR = join(await this.#temporary(), 'data');
      const service = await listeningService({ DATA_DIR, DEMO: 'on' });
      this.#service = { ...service, variables: { DATA_DIR } };
      await service.process.says(
        () => service.process.output.includes('A demonstration set was created') || undefined,
      );
      const called = async (...words: string[]) => {
        const { code, output, errors } = await command([...words, '--json'], { DATA_DIR });
        if (code !== 0) throw new Error(errors);
        return JSON.parse(output);
      };
      const { id } = await called('campaign', 'create', '--owner', '1');
      await called('mirror', 'create', String(id), '--target-url', 'https://first.example/');
      const { key } = await called('key', 'issue', '--owner', '1', '--name', 'README');
      this.#service = { ...service, variables: { DATA_DIR, KEY: key, CAMPAIGN: String(id) } };
    }
    return this.#service;
  }

  async #bareServer() {
    this.#server ??= await dedicatedServer();
    const { host = '127.0.0.1', port = 5432 } = this.#server.address('postgres');
    return { host, port };
  }
}

/** One of ours by its short name, or any other by its own. */
function userOf(role: string): string {
  return role === 'superuser' ? 'postgres' : (roles[role as keyof typeof roles] ?? role);
}

/** Each statement by itself, as psql sends them; what the last one with columns gives, as psql shows it. */
async function query(address: pg.ClientConfig | undefined, sql: string): Promise<string> {
  // Values as the server writes them.
  const client = new pg.Client({ ...address, types: { getTypeParser: () => (text: string) => text } });
  await client.connect();
  try {
    let shown = '';
    const statements = sql.includes('$$') ? [sql] : sql.split(/;[ \t]*(?:--.*)?(?:\n|$)/);
    for (const statement of statements.filter((one) => one.trim() !== '')) {
      const { fields, rows } = await client.query({ text: statement, rowMode: 'array' });
      if (fields.length > 0) shown = table(fields, rows);
    }
    return shown;
  } finally {
    await client.end();
  }
}

function table(fields: readonly pg.FieldDef[], rows: readonly unknown[][]): string {
  const lines = rows.map((row) => row.map((value) => value ?? '').join(' | '));
  const count = `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`;
  return [fields.map(({ name }) => name).join(' | '), fields.map(() => '--').join('+'), ...lines, count].join(
    '\n',
  );
}
