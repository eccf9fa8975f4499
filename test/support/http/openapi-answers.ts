import { setMirrorRoute } from '@campaign-mirror/adapters-http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openapiText } from './openapi-file.ts';

/** What is looked at of an answer; header names in lower case. */
interface SeenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}
interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema: { type: string };
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
const ofAnyAnswer = new Set([
  ...['date', 'connection', 'keep-alive', 'content-length', 'content-type', 'content-encoding', 'vary'],
  ...['x-content-type-options', 'referrer-policy', 'strict-transport-security'],
  ...['access-control-allow-origin', 'access-control-expose-headers', 'access-control-allow-methods'],
  ...['access-control-allow-headers', 'access-control-max-age'],
]);

/** The document, in which no object has a property that it does not name, and a reference is a name. */
const closed: Document = JSON.parse(openapiText, (key, value) => {
  if (key === '$ref') return value.split('/').at(-1);
  return value?.properties ? { additionalProperties: false, ...value } : value;
});
const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
for (const [name, schema] of Object.entries(closed.components.schemas)) ajv.addSchema(schema, name);

function declared(operation: string, { headers = {}, content }: Response) {
  const all = Object.entries(headers).map(([name, one]) => {
    const { required, schema } = closed.components.headers[one.$ref ?? ''] ?? one;
    return { name: name.toLowerCase(), required, type: schema.type, validate: ajv.compile(schema) };
  });
  const schema = content?.['application/json']?.schema;
  return { operation, headers: all, body: schema && ajv.compile(schema) };
}
type Declared = ReturnType<typeof declared>;

/** The answers of each operation, by their status. */
const operations = new Map(
  Object.entries(closed.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses }]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const answers = Object.entries(responses).map(
        ([status, response]) => [Number(status), declared(name, response)] as const,
      );
      return [name, new Map(answers)] as const;
    }),
  ),
);

/** Why an answer to this request is not as the document has it: what is no operation is described with the call. */
export function faultsOfAnswer(method: string, path: string, answer: SeenAnswer): string[] {
  const operation = operations.get(`${method} ${path}`) ?? operations.get(`POST ${setMirrorRoute}`);
  const one = operation?.get(answer.status);
  return one ? faults(one, answer, method === 'HEAD') : [`${method} ${path} has no answer ${answer.status}`];
}

/** The same where it is not known what was asked: whether any operation has such an answer. @throws Error */
export function assertDocumented(answer: SeenAnswer, toHead = false): void {
  if (answer.status < 200) return;
  const found = [...operations.values()].flatMap((answers) => answers.get(answer.status) ?? []);
  const wrong = found.map((one) => faults(one, answer, toHead));
  if (wrong.some((one) => one.length === 0)) return;
  const why = found.length === 0 ? 'no operation has this status' : wrong.flat().join('\n');
  throw new Error(`openapi.json does not tell of this answer: ${answer.status} ${answer.body}\n${why}`);
}

function faults({ operation, headers, body }: Declared, answer: SeenAnswer, toHead: boolean): string[] {
  const found: string[] = [];
  for (const name of Object.keys(answer.headers))
    if (!ofAnyAnswer.has(name) && !headers.some((one) => one.name === name))
      found.push(`the header ${name} is not described`);
  for (const { name, required, type, validate } of headers) {
    const value = answer.headers[name];
    if (value === undefined && required) found.push(`the header ${name} is missing`);
    if (value !== undefined && !validate(type === 'integer' ? Number(value) : value))
      found.push(`the header ${name} is ${value}: ${ajv.errorsText(validate.errors)}`);
  }
  if (answer.headers['x-content-type-options'] !== 'nosniff') found.push('not nosniff');
  if (answer.headers['referrer-policy'] !== 'no-referrer') found.push('not no-referrer');
  if (!toHead) found.push(...bodyFaults(body, answer));
  return found.map((fault) => `${operation}: ${fault}`);
}

function bodyFaults(validate: ValidateFunction | undefined, { headers, body }: SeenAnswer): string[] {
  if (!validate) return body === '' ? [] : ['there is a body'];
  const type = headers['content-type'];
  if (type !== 'application/json; charset=utf-8') return [`the type is ${type}`];
  try {
    return validate(JSON.parse(body)) ? [] : [ajv.errorsText(validate.errors)];
  } catch {
    return ['the body is no JSON'];
  }
}

const { schemas }: Document['components'] = JSON.parse(openapiText).components;
/** Whether a request body is one that the document allows. */
export const isAllowedBody = ajv.compile(schemas.MirrorUpdate ?? false);
