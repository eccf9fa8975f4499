import { read } from '../workspace.ts';
import { blocksOf } from './blocks.ts';

type Texts = Readonly<Record<string, string>>;

/** A file of the project, with texts replaced. @throws Error if it lacks one of them */
export async function configuration(path: string, replaced: Texts = {}): Promise<string> {
  return withReplaced(await read(path), replaced, path);
}

/** The first block of a document in this language that has all the texts to be replaced. @throws Error without one */
export async function documented(document: string, language: string, replaced: Texts): Promise<string> {
  const texts = Object.keys(replaced);
  const found = blocksOf(await read(document)).find(
    (block) => block.language === language && texts.every((text) => block.text.includes(text)),
  );
  return withReplaced(found?.text ?? '', replaced, document);
}

function withReplaced(text: string, replaced: Texts, from: string): string {
  return Object.entries(replaced).reduce((now, [old, anew]) => {
    if (!now.includes(old)) throw new Error(`${from} has no ${old}`);
    return now.replaceAll(old, anew);
  }, text);
}
