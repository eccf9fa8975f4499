import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { blocksOf } from '../support/documents/blocks.ts';
import { program as anyProgram } from '../support/programs.ts';
import { projectFolder } from '../support/workspace.ts';

const document = 'docs/how-to/cluster.md';

/** The path of a program that has to be there. @throws Error that says what to install */
export const program = (name: string) => anyProgram(name, 'ops/debian-packages-cluster');

/** What it writes. @throws where it fails */
export async function output(name: string, ...words: string[]): Promise<string> {
  return (await promisify(execFile)(program(name), words)).stdout;
}

/** The block of the document in this language. @throws Error where it lacks one of the texts to be replaced */
export async function documented(
  language: string,
  replaced: Readonly<Record<string, string>> = {},
): Promise<string> {
  const blocks = blocksOf(await readFile(`${projectFolder}${document}`, 'utf8'));
  let text = blocks.find((block) => block.language === language)?.text ?? '';
  for (const [from, to] of Object.entries(replaced)) {
    if (!text.includes(from)) throw new Error(`${document}: no ${from} in its ${language}`);
    text = text.replaceAll(from, to);
  }
  return text;
}
