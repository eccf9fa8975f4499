import { rm } from 'node:fs/promises';
import { readApi } from './support/documents/api.ts';
import { projectFolder } from './support/workspace.ts';

/** `npm run api`: the API of the packages, as Markdown. */
const out = `${projectFolder}docs/reference/api`;
await rm(out, { recursive: true, force: true });
const { app, project } = await readApi({ out, plugin: ['typedoc-plugin-markdown'] });
await app.generateOutputs(project);
console.log(`${out} was written`);
