import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, type Listening } from '../process/service-process.ts';
import { projectFolder, read } from '../workspace.ts';
import { blocksOf } from './blocks.ts';

const rehearsed = /^rehearsed: ([a-z-]+)$/;

/** The blocks of docs/runbook.md that a test runs, by their names. @throws Error for two of one name */
export async function rehearsedBlocks(): Promise<Map<string, string>> {
  const named = blocksOf(await read('docs/runbook.md')).flatMap(({ marker = '', text }) => {
    const [, name] = rehearsed.exec(marker) ?? [];
    return name === undefined ? [] : [[name, text] as const];
  });
  const blocks = new Map(named);
  if (blocks.size !== named.length) throw new Error('two blocks of docs/runbook.md have one name');
  return blocks;
}

/** Which of them were run, by all rehearsals together. */
export const run = new Set<string>();

/** The text of a block that is run now. */
export async function block(name: string): Promise<string> {
  const text = (await rehearsedBlocks()).get(name);
  if (text === undefined) throw new Error(`docs/runbook.md has no block ${name}`);
  run.add(name);
  return text;
}

/** Somebody on call, who pastes the blocks of docs/runbook.md into one shell. */
export class Rehearsal {
  readonly #service: Listening;
  readonly #url: string;
  readonly #folder: string;

  private constructor(service: Listening, url: string, folder: string) {
    this.#service = service;
    this.#url = url;
    this.#folder = folder;
  }

  /** `url`: the operator's way to the database. */
  static async of(service: Listening, url: string): Promise<Rehearsal> {
    const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-rehearsal-'));
    await writeFile(join(folder, 'variables'), '');
    return new Rehearsal(service, url, folder);
  }

  /** What the block shows, errors too. `filledIn`: variables that are the user's to fill in. */
  async paste(name: string, filledIn: Readonly<Record<string, string>> = {}): Promise<string> {
    // A function does not outlive its shell as variables do.
    const texts = [await block('metrics'), await block(name)];
    const text = texts.join('\n').replaceAll('http://127.0.0.1:3001', this.#service.ops);
    const [log, variables] = [join(this.#folder, 'log'), join(this.#folder, 'variables')];
    await writeFile(log, this.#service.process.output);
    const lines = [
      'exec 2>&1',
      `log() { cat '${log}'; }`,
      `. '${variables}'`,
      'set -a',
      ...Object.entries(filledIn).map(([variable, value]) => `${variable}='${value}'`),
      text,
      `export -p > '${variables}'`,
    ];
    const options = { cwd: projectFolder, env: environment({ DATABASE_URL: this.#url }) };
    return new Promise((resolve) => {
      execFile('sh', ['-c', lines.join('\n')], options, (_, shown) => resolve(shown));
    });
  }

  end(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}
