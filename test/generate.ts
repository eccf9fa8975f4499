import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { outdated } from './support/documents/generated.ts';
import { projectFolder } from './support/workspace.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });

for (const [path, text] of await outdated()) {
  if (values.check) {
    console.error(`${path} is not what the code makes: run npm run generate`);
    process.exitCode = 1;
  } else {
    await writeFile(`${projectFolder}${path}`, text);
    console.log(`${path} was updated`);
  }
}
