import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import { committedText } from './openapi-file.ts';
import { projectFolder } from './workspace.ts';

const file = `${projectFolder}test/support/openapi-types.ts`;

/** The types that are committed: the compiler has to have them before anything runs. */
export const committedTypes = (): Promise<string> => readFile(file, 'utf8');

/** The types of the document that is committed. */
export async function typesOfDocument(): Promise<string> {
  return `// Made from openapi.json by \`npm run openapi\`.\n${astToString(await openapiTS(await committedText()))}`;
}

export async function writeTypes(): Promise<void> {
  await writeFile(file, await typesOfDocument());
}
