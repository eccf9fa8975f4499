import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { projectFolder } from '../workspace.ts';

export const openapiFile = `${projectFolder}packages/adapters-http/docs/openapi.json`;
export const openapiText = readFileSync(openapiFile, 'utf8');

/** What is looked at of an answer; header names in lower case. */
interface SeenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}
interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema: object;
}
interface Response {
  readonly headers?: Record<string, Header>;
  readonly content?: Record<string, { schema: object }>;
}
interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  readonly components: { headers: Record<string, Header>; schemas: Record<string, object> };
}

/** Headers of the message itself, and what the text of the document says of every answer. */
const ofAnyAnswer = Object.fromEntries(
  [
    ...['date', 'connection', 'keep-alive', 'content-length', 'content-type', 'content-encoding', 'vary'],
    ...['access-control-allow-origin', 'access-control-expose-headers'],
    ...['access-control-allow-methods', 'access-control-allow-headers', 'access-control-max-age'],
  ].map((name) => [name, {}]),
);

/** The document, in which no object has a property that it does not name, and a reference is a name. */
const closed: Document = JSON.parse(openapiText, (key, value) => {
  if (key === '$ref') return value.split('/').at(-1);
  return value?.properties ? { additionalProperties: false, ...value } : value;
});
const strictly = { strict: true, strictRequired: false, allErrors: true, formats: { int64: true } } as const;
const bodies = new Ajv2020({ ...strictly, schemas: closed.components.schemas });
/** Of text, which they have to be read from. */
const fields = new Ajv2020({ ...strictly, coerceTypes: true });

/** What is wrong in an answer that is to be this one. */
function judgeOf({ headers = {}, content }: Response) {
  const named = Object.entries(headers).map(([name, one]) => {
    return { name: name.toLowerCase(), ...(closed.components.headers[one.$ref ?? ''] ?? one) };
  });
  const required = named.filter((one) => one.required).map(({ name }) => name);
  const validateHeaders = fields.compile({
    type: 'object',
    properties: {
      ...ofAnyAnswer,
      ...Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
      ...(content && { 'content-type': { const: 'application/json; charset=utf-8' } }),
      'x-content-type-options': { const: 'nosniff' },
      'referrer-policy': { const: 'no-referrer' },
    },
    required: ['x-content-type-options', 'referrer-policy', ...required],
    additionalProperties: false,
  });
  const validateBody = bodies.compile(content?.['application/json']?.schema ?? { const: '' });
  return (answer: SeenAnswer, toHead: boolean): string[] => {
    const body = content && !toHead ? JSON.parse(answer.body) : answer.body;
    const found = validateHeaders({ ...answer.headers }) ? [] : [fields.errorsText(validateHeaders.errors)];
    return toHead || validateBody(body) ? found : [...found, bodies.errorsText(validateBody.errors)];
  };
}

/** Of all operations, by the status. */
const judges = Map.groupBy(
  Object.values(closed.paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ responses }) => Object.entries(responses))
    .map(([status, response]) => ({ status: Number(status), judge: judgeOf(response) })),
  ({ status }) => status,
);

/** @throws Error for an answer that no operation of the document has */
export function assertDocumented(answer: SeenAnswer, toHead = false): void {
  if (answer.status < 200) return;
  const wrong = (judges.get(answer.status) ?? []).map(({ judge }) => judge(answer, toHead));
  if (wrong.some((faults) => faults.length === 0)) return;
  const why = wrong.length === 0 ? 'no operation has this status' : wrong.flat().join('\n');
  throw new Error(`openapi.json does not tell of this answer: ${answer.status} ${answer.body}\n${why}`);
}

const { schemas }: Document['components'] = JSON.parse(openapiText).components;
/** Whether a request body is one that the document allows. */
export const isAllowedBody = new Ajv2020(strictly).compile(schemas.MirrorUpdate ?? false);
