import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { projectFolder } from '../workspace.ts';

export const openapiFile = `${projectFolder}packages/adapters-http/docs/openapi.json`;
export const openapiText = readFileSync(openapiFile, 'utf8');

interface Response {
  readonly headers?: Record<string, { readonly $ref?: string; readonly required?: boolean }>;
  readonly content?: Record<string, { readonly schema: object }>;
}
type Operation = { readonly responses: Record<string, Response> };

/** The document, with references by name, and without unknown properties in any object. */
const { paths, components } = JSON.parse(openapiText, (key, value) => {
  if (key === '$ref') return value.split('/').at(-1);
  return value?.properties ? { additionalProperties: false, ...value } : value;
});
const options = { strict: true, strictRequired: false, allErrors: true, formats: { int64: true } } as const;
const ajv = new Ajv2020({ ...options, schemas: components.schemas });

const described = Object.values<Record<string, Operation>>(paths)
  .flatMap((operations) => Object.values(operations))
  .flatMap(({ responses }) => Object.entries(responses))
  .map(([status, { headers = {}, content }]) => {
    const isRequired = ([, one]: [string, { $ref?: string; required?: boolean }]) =>
      (components.headers[one.$ref ?? ''] ?? one).required;
    const required = Object.entries(headers).filter(isRequired);
    const isBody = content && ajv.compile(content['application/json']?.schema ?? false);
    return { status: Number(status), required: required.map(([name]) => name.toLowerCase()), isBody };
  });

interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** @throws Error for an answer that no operation of openapi.json describes */
export function assertDocumented({ status, headers, body }: Answer, toHead = false): void {
  const isDescribed = described.some(({ isBody, required, ...one }) => {
    const fits = toHead || (isBody ? isBody(JSON.parse(body)) : body === '');
    return one.status === status && required.every((name) => headers[name]) && fits;
  });
  if (!isDescribed)
    throw new Error(`openapi.json does not describe ${status} ${JSON.stringify(headers)} ${body}`);
}

/** Tells whether the document allows a request body, in which unknown properties are allowed. */
export const isAllowedBody = new Ajv2020(options).compile(
  JSON.parse(openapiText).components.schemas.MirrorUpdate,
);
