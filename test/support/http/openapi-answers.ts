import { openapiPath, setMirrorRoute } from '@campaign-mirror/adapters-http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openapiDocument } from './openapi-file.ts';

type Json = Record<string, unknown>;
/** What is looked at of an answer; header names in lower case. */
interface SeenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}
interface DeclaredHeader {
  readonly required: boolean;
  readonly isNumber: boolean;
  readonly validate: ValidateFunction;
}
interface DeclaredAnswer {
  readonly operation: string;
  readonly headers: ReadonlyMap<string, DeclaredHeader>;
  readonly body: ValidateFunction | undefined;
}

/** Headers of the message itself, and what the text of the document says of every answer. */
const ofAnyAnswer = new Set([
  ...['date', 'connection', 'keep-alive', 'content-length', 'content-type', 'content-encoding', 'vary'],
  ...['x-content-type-options', 'referrer-policy', 'strict-transport-security'],
  ...['access-control-allow-origin', 'access-control-expose-headers', 'access-control-allow-methods'],
  ...['access-control-allow-headers', 'access-control-max-age'],
]);

const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });

/** A schema of the document, without references, that admits no property that it does not name. */
function closed(schema: unknown): Json {
  const { $ref, ...own } = schema as Json;
  if (typeof $ref === 'string') return closed(at($ref));
  const entries = Object.entries(own).map(([key, value]) => {
    if (key === 'items') return [key, closed(value)];
    if (key !== 'properties') return [key, value];
    return [key, Object.fromEntries(Object.entries(value as Json).map(([name, one]) => [name, closed(one)]))];
  });
  return {
    ...(own.properties !== undefined && { additionalProperties: false }),
    ...Object.fromEntries(entries),
  };
}

function at(reference: string): unknown {
  const way = reference.replace(/^#\//, '').split('/');
  return way.reduce<unknown>((value, key) => (value as Json)[key.replaceAll('~1', '/')], openapiDocument);
}

const resolved = (one: unknown): Json => {
  const { $ref } = one as { $ref?: string };
  return (typeof $ref === 'string' ? at($ref) : one) as Json;
};

function declaredAnswer(operation: string, response: unknown): DeclaredAnswer {
  const { headers = {}, content } = response as { headers?: Json; content?: Record<string, Json> };
  const declared = Object.entries(headers).map(([name, one]): [string, DeclaredHeader] => {
    const { required = false, schema } = resolved(one) as { required?: boolean; schema: Json };
    return [
      name.toLowerCase(),
      { required, isNumber: schema.type === 'integer', validate: ajv.compile(schema) },
    ];
  });
  const schema = content?.['application/json']?.schema;
  return {
    operation,
    headers: new Map(declared),
    body: schema === undefined ? undefined : ajv.compile(closed(schema)),
  };
}

/** The answers of each operation, by their status. */
const operations = Object.entries(openapiDocument.paths as Json).flatMap(([path, item]) =>
  Object.entries(item as Record<string, { responses: Json }>).map(([method, { responses }]) => {
    const name = `${method.toUpperCase()} ${path}`;
    const answers = Object.entries(responses).map(
      ([status, response]) => [Number(status), declaredAnswer(name, response)] as const,
    );
    return { name, answers: new Map(answers) };
  }),
);

/** The operation that tells of a request: what is not one is described with the call. */
function operationFor(method: string, path: string): string {
  const route = path === openapiPath ? path : setMirrorRoute;
  const name = `${method === 'HEAD' ? 'GET' : method} ${route}`;
  if (operations.some((one) => one.name === name)) return name;
  return route === openapiPath ? `GET ${route}` : `POST ${route}`;
}

/** Why an answer to this request is not as the document has it; empty where it is. */
export function faultsOfAnswer(method: string, path: string, answer: SeenAnswer): string[] {
  const name = operationFor(method, path);
  const declared = operations.find((one) => one.name === name)?.answers.get(answer.status);
  if (!declared) return [`${name} has no answer ${answer.status}`];
  return faults(declared, answer, method === 'HEAD');
}

/**
 * The same where it is not known what was asked: whether any operation has such an answer. @throws Error
 */
export function assertDocumented(answer: SeenAnswer, toHead = false): void {
  if (answer.status < 200) return;
  const found = operations.flatMap(({ answers }) => answers.get(answer.status) ?? []);
  const wrong = found.map((declared) => faults(declared, answer, toHead));
  if (wrong.some((one) => one.length === 0)) return;
  const why = found.length === 0 ? ['no operation has this status'] : wrong.flat();
  throw new Error(
    `openapi.json does not tell of this answer: ${answer.status} ${answer.body}\n${why.join('\n')}`,
  );
}

function faults(declared: DeclaredAnswer, { headers, body }: SeenAnswer, toHead: boolean): string[] {
  return [
    ...Object.entries(headers).flatMap(([name, value]) => headerFault(declared, name, value)),
    ...[...declared.headers]
      .filter(([name, { required }]) => required && headers[name] === undefined)
      .map(([name]) => `${declared.operation}: the header ${name} is missing`),
    ...(headers['x-content-type-options'] === 'nosniff' ? [] : ['X-Content-Type-Options is not nosniff']),
    ...(headers['referrer-policy'] === 'no-referrer' ? [] : ['Referrer-Policy is not no-referrer']),
    ...(toHead ? [] : bodyFault(declared, String(headers['content-type'] ?? ''), body)),
  ];
}

function headerFault({ headers, operation }: DeclaredAnswer, name: string, value: unknown): string[] {
  const declared = headers.get(name);
  if (!declared) return ofAnyAnswer.has(name) ? [] : [`${operation}: the header ${name} is not described`];
  const { validate, isNumber } = declared;
  if (validate(isNumber ? Number(value) : value)) return [];
  return [`${operation}: the header ${name} is ${value}: ${ajv.errorsText(validate.errors)}`];
}

function bodyFault({ body: validate, operation }: DeclaredAnswer, type: string, body: string): string[] {
  if (!validate) return body === '' ? [] : [`${operation}: there is a body`];
  if (type !== 'application/json; charset=utf-8') return [`${operation}: the type is ${type}`];
  try {
    if (validate(JSON.parse(body))) return [];
    return [`${operation}: ${ajv.errorsText(validate.errors)}`];
  } catch {
    return [`${operation}: the body is no JSON`];
  }
}

/** Whether a request body is one that the document allows. */
export const isAllowedBody: ValidateFunction = ajv.compile(
  (({ additionalProperties: _, ...schema }) => schema)(
    closed(at('#/components/schemas/MirrorUpdate')) as { additionalProperties?: unknown },
  ),
);
