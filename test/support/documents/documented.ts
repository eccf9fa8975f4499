import { readFile } from 'node:fs/promises';
import { projectFolder } from '../workspace.ts';
import { blocksOf } from './blocks.ts';

/** The first block of a document in this language. @throws Error where it lacks one of the texts to be replaced */
export async function documented(
  document: string,
  language: string,
  replaced: Readonly<Record<string, string>>,
): Promise<string> {
  const blocks = blocksOf(await readFile(`${projectFolder}${document}`, 'utf8'));
  let text = blocks.find((block) => block.language === language)?.text ?? '';
  for (const [from, to] of Object.entries(replaced)) {
    if (!text.includes(from)) throw new Error(`${document}: no ${from} in its ${language}`);
    text = text.replaceAll(from, to);
  }
  return text;
}
