import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder, type RunningProcess, start } from './service-process.ts';

/**
 * Compiles the files and runs the first of them with the words; gives what it prints. They lie in a folder of their own
 * in test/, from where the packages are found. @throws Error where they do not compile, or the program fails
 */
export async function typescript(
  files: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<string> {
  const folder = await mkdtemp(join(projectFolder, 'test', '.readme-'));
  const names = Object.keys(files);
  const output = { noEmit: true, emitDeclarationOnly: false, declarationMap: false };
  const compilerOptions = { ...output, rootDir: '../..', composite: false, noUnusedLocals: false };
  const project = { extends: '../tsconfig.json', compilerOptions, include: names, references: [] };
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
    await outputOf(start('node_modules/.bin/tsc', ['-p', folder, '--pretty', 'false'], {}));
    return await outputOf(start(process.execPath, [join(folder, names[0] ?? ''), ...words], {}));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the program prints on standard output. @throws Error when it fails */
export async function outputOf(running: RunningProcess): Promise<string> {
  const { code, output, errors } = await running.done();
  if (code !== 0) throw new Error(`it ended with ${code}:\n${output}\n${errors}`);
  return output;
}
