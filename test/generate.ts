import { writeFile } from 'node:fs/promises';
import { outdated } from './support/documents/generated.ts';
import { projectFolder } from './support/workspace.ts';

for (const [path, text] of await outdated()) {
  await writeFile(`${projectFolder}${path}`, text);
  console.log(`${path} was updated`);
}
