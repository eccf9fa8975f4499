import { readFileSync } from 'node:fs';
import { projectFolder } from '../workspace.ts';

/** The document, which is served as it is. */
export const openapiFile = `${projectFolder}packages/adapters-http/docs/openapi.json`;

export const openapiText = readFileSync(openapiFile, 'utf8');
