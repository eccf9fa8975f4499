import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type DedicatedServer, dedicatedServer } from '../database/dedicated-server.ts';
import { type Listening, listeningService, projectFolder, start } from '../process/service-process.ts';
import { outputOf, typescript } from '../process/typescript.ts';
import type { Block } from './blocks.ts';

type Variables = Readonly<Record<string, string>>;

/** Runs the blocks of the documents, with what they need: each thing is started when the first block asks for it. */
export class BlockRuns {
  #folder: string | undefined;
  #service: (Listening & { readonly variables: Variables }) | undefined;
  #server: DedicatedServer | undefined;

  /** What the block prints on standard output. @throws Error when it fails */
  async run({ marker, language, text }: Block): Promise<string> {
    if (marker === 'run: ts') return typescript({ 'block.ts': text });
    if (marker === 'run: service') return this.#onService(text);
    this.#server ??= await dedicatedServer();
    if (language === 'sh') return this.#onServer(this.#server, text);
    const [, role = 'postgres', database] = /: (\w+)@(\w+)$/.exec(marker) ?? [];
    const client = new pg.Client({ ...this.#server.address(role, database) });
    await client.connect();
    await client.query(text).finally(() => client.end());
    return '';
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

  async #onServer(server: DedicatedServer, script: string): Promise<string> {
    const { host = '', port } = server.address('postgres');
    const here = script.replace(/\b(postgres(?:ql)?:\/\/[^\s@/]*@)[^\s/]+/g, `$1${host}:${port}`);
    return this.#shell(here, 'server', { PGHOST: host, PGPORT: String(port), PGUSER: 'postgres' });
  }

  /** Variables that the script sets are there for the next one of its kind. */
  async #shell(script: string, kind: 'service' | 'server', variables: Variables): Promise<string> {
    const folder = await this.#temporary();
    const [file, kept] = [join(folder, 'block.sh'), join(folder, `${kind}.sh`)];
    await writeFile(kept, '', { flag: 'a' });
    await writeFile(file, `set -ea\n. '${kept}'\n${script}\nexport -p > '${kept}'\n`);
    return outputOf(start('sh', [file], variables, folder));
  }

  async #temporary(): Promise<string> {
    if (!this.#folder) {
      this.#folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-readme-'));
      // The database does not run as root: another user has to pass through.
      await chmod(this.#folder, 0o711);
      await symlink(join(projectFolder, 'campaign-mirror'), join(this.#folder, 'campaign-mirror'));
    }
    return this.#folder;
  }

  /** With what the start prints to try: a campaign, and a key of its owner. */
  async #running() {
    if (this.#service) return this.#service;
    const DATA_DIR = join(await this.#temporary(), 'data');
    const service = await listeningService({ DATA_DIR, DEMO: 'on' });
    const [, CAMPAIGN = '', KEY = ''] = await service.process.says(
      () =>
        /campaign\/(\d+)\/mirror -H 'Authorization: Bearer (\w+)'/.exec(service.process.output) ?? undefined,
    );
    this.#service = { ...service, variables: { DATA_DIR, CAMPAIGN, KEY } };
    return this.#service;
  }
}
