import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from '../process/service-process.ts';
import { projectFolder } from '../workspace.ts';
import { blocksOf } from './blocks.ts';

const pattern = /^example: (\S+)$/;

/** docs/how-to/call-from-a-script.md, and its programs by the names of their files. */
export const examplesText = readFileSync(`${projectFolder}docs/how-to/call-from-a-script.md`, 'utf8');
export const examples = new Map(
  blocksOf(examplesText).flatMap(({ marker = '', text }) => {
    const [, file] = pattern.exec(marker) ?? [];
    return file === undefined ? [] : [[file, text] as const];
  }),
);

/** How long an attempt may take: 40 s, and as JavaScript has it in milliseconds. */
const patience = /\b40(_000)?\b/g;

export interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Programs of docs/how-to/call-from-a-script.md as files that can be run. */
export class ExampleFiles {
  #folder: Promise<string> | undefined;
  readonly #written = new Map<string, Promise<string>>();

  /** Runs an example as it stands there; an `impatient` one waits 2 s for an answer. */
  async run(
    command: string,
    file: string,
    { url, key, campaign, address, impatient = false }: Call,
  ): Promise<Run> {
    const path = await this.#path(file, impatient);
    const variables = { CAMPAIGN_MIRROR_URL: url, CAMPAIGN_MIRROR_KEY: key };
    const running = start(command, [path, String(campaign), address], variables);
    const { code } = await running.ended;
    return { code, output: running.output, errors: running.errors };
  }

  /** Written once: a program may not change while it is read. */
  #path(file: string, impatient: boolean): Promise<string> {
    const name = impatient ? `impatient-${file}` : file;
    const written = this.#written.get(name) ?? this.#write(file, name, impatient);
    this.#written.set(name, written);
    return written;
  }

  async #write(file: string, name: string, impatient: boolean): Promise<string> {
    const text = examples.get(file);
    if (text === undefined) throw new Error(`docs/how-to/call-from-a-script.md has no ${file}`);
    if (impatient && text.search(patience) === -1) throw new Error(`${file} waits for ever`);
    this.#folder ??= mkdtemp(join(tmpdir(), 'campaign-mirror-examples-'));
    const path = join(await this.#folder, name);
    await writeFile(path, impatient ? text.replace(patience, '2$1') : text);
    return path;
  }

  async remove(): Promise<void> {
    if (this.#folder) await rm(await this.#folder, { recursive: true, force: true });
  }
}

export interface Call {
  readonly url: string;
  readonly key: string;
  readonly campaign: number;
  readonly address: string;
  readonly impatient?: boolean;
}
