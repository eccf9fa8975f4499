import { openapiDocument, Replies } from '@campaign-mirror/adapters-http';
import { projectFolder, read } from '../workspace.ts';

/** The document that is committed. */
export const openapiFile = `${projectFolder}openapi.json`;

/** The document as it is by default. */
export const currentDocument = openapiDocument(new Replies(), 16_384);

export const currentText = `${JSON.stringify(currentDocument, null, 2)}\n`;

export const committedText = (): Promise<string> => read('openapi.json');
