import { readFileSync } from 'node:fs';
import { setMirrorRoute } from '@campaign-mirror/adapters-http/service';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { projectFolder } from '../workspace.ts';

export const openapiFile = `${projectFolder}packages/adapters-http/docs/openapi.json`;
export const openapiText = readFileSync(openapiFile, 'utf8');

type Response = { readonly content?: Record<string, { readonly schema: object }> };

/** The document, with references by name, and without unknown properties in any object. */
const { paths, components } = JSON.parse(openapiText, (key, value) => {
  if (key === '$ref') return value.split('/').at(-1);
  return value?.properties ? { additionalProperties: false, ...value } : value;
});
const options = { strict: true, strictRequired: false, allErrors: true, formats: { int64: true } } as const;
const ajv = new Ajv2020({ ...options, schemas: components.schemas });
const responses = Object.entries<Response>(paths[setMirrorRoute].post.responses);
const isDescribed = new Map(
  responses.map(([status, { content }]) => {
    return [Number(status), ajv.compile(content?.['application/json']?.schema ?? false)];
  }),
);

/** @throws Error for an answer to a call that openapi.json does not describe */
export function assertDocumented({ status, body }: { readonly status: number; readonly body: string }): void {
  if (!isDescribed.get(status)?.(JSON.parse(body)))
    throw new Error(`openapi.json does not describe ${status} ${body}`);
}

/** Tells whether the document allows a request body, in which unknown properties are allowed. */
export const isAllowedBody = new Ajv2020(options).compile(
  JSON.parse(openapiText).components.schemas.MirrorUpdate,
);
