import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { projectFolder } from '../workspace.ts';

export const openapiFile = `${projectFolder}packages/adapters-http/docs/openapi.json`;
export const openapiText = readFileSync(openapiFile, 'utf8');

interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}
interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
}
interface Response {
  readonly headers?: Record<string, Header>;
  readonly content?: Record<string, { schema: object }>;
}

/** The document, with references by name, and without unknown properties in any object. */
const { paths, components } = JSON.parse(openapiText, (key, value) => {
  if (key === '$ref') return value.split('/').at(-1);
  return value?.properties ? { additionalProperties: false, ...value } : value;
});
const options = { strict: true, strictRequired: false, allErrors: true, formats: { int64: true } } as const;
const ajv = new Ajv2020({ ...options, schemas: components.schemas });

const described = Object.values<Record<string, { responses: Record<string, Response> }>>(paths)
  .flatMap((operations) => Object.values(operations))
  .flatMap(({ responses }) => Object.entries(responses))
  .map(([status, { headers = {}, content }]) => ({
    status: Number(status),
    required: Object.entries(headers)
      .filter(([, one]) => (components.headers[one.$ref ?? ''] ?? one).required)
      .map(([name]) => name.toLowerCase()),
    isBody: content && ajv.compile(content['application/json']?.schema ?? false),
  }));

/** @throws Error for an answer that no operation of openapi.json describes */
export function assertDocumented({ status, headers, body }: Answer, toHead = false): void {
  const fits = (isBody?: ValidateFunction) => toHead || (isBody ? isBody(JSON.parse(body)) : body === '');
  const isDescribed = described.some(
    (one) => one.status === status && one.required.every((name) => headers[name]) && fits(one.isBody),
  );
  if (status >= 200 && !isDescribed)
    throw new Error(`openapi.json does not describe ${status} ${JSON.stringify(headers)} ${body}`);
}

/** Tells whether the document allows a request body, in which unknown properties are allowed. */
export const isAllowedBody = new Ajv2020(options).compile(
  JSON.parse(openapiText).components.schemas.MirrorUpdate,
);
