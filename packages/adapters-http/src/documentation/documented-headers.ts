import type { Reply } from '../answers/replies.ts';

interface HeaderMeaning {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: string | number;
}

const count = { type: 'integer', minimum: 0 };

/** The meaning of the headers of answers. Without an example here, that of the answers is used. */
const headerMeanings: Readonly<Record<string, HeaderMeaning>> = {
  'X-Request-Id': {
    description: 'Identifier of the request: the one that it was sent with, or a new one.',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[!-~]+$' },
    example: '0b0f6b7e-3f0c-4c35-9d5e-1c3f2a7f5d11',
  },
  'Cache-Control': {
    description: 'No answer to a call may be stored.',
    schema: { type: 'string' },
    example: 'no-store',
  },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 6750).', schema: { type: 'string' } },
  Allow: { description: 'The methods that the path has.', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 0 },
  },
  ETag: { description: 'Changes with the document.', schema: { type: 'string', pattern: '^(W/)?".*"$' } },
  'X-RateLimit-Limit': {
    description: 'Requests that the key may make in a period, where the operator limits them.',
    schema: count,
    example: 600,
  },
  'X-RateLimit-Remaining': { description: 'How many of them are left.', schema: count, example: 599 },
  'X-RateLimit-Reset': {
    description: 'When all of them are available again: Unix time in seconds.',
    schema: count,
    example: 1795190160,
  },
  'RateLimit-Policy': {
    description: 'The same limit as a structured field: `q` requests in `w` seconds.',
    schema: { type: 'string' },
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description: 'What is left, as a structured field: `r` requests, and all of them in `t` seconds.',
    schema: { type: 'string' },
    example: '"default";r=599;t=30',
  },
};

/** On answers to requests that were counted, if the operator limits them. */
const ofLimits = Object.keys(headerMeanings).filter((name) => name.includes('RateLimit'));
const counted = [200, 400, 403, 404, 422, 429, 500, 503];

/** The headers of the answers of one status, in OpenAPI's form. */
export function documentedHeaders(status: number, replies: readonly Reply[]): Record<string, unknown> {
  const own = new Set(replies.flatMap(({ headers = {} }) => Object.keys(headers)));
  const optional = counted.includes(status) ? ofLimits.filter((name) => !own.has(name)) : [];
  return {
    ...Object.fromEntries(['X-Request-Id', 'Cache-Control'].map((name) => [name, referenceTo(name)])),
    ...Object.fromEntries([...own].map((name) => [name, ownHeader(name, replies)])),
    ...Object.fromEntries(optional.map((name) => [name, referenceTo(name)])),
  };
}

const referenceTo = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** A header is required if each of the answers has it. */
function ownHeader(name: string, replies: readonly Reply[]): unknown {
  const meaning = headerMeanings[name];
  if (!meaning) throw new Error(`nobody is told what the header ${name} means`);
  const { description, schema } = meaning;
  const values = new Set(replies.flatMap(({ headers }) => headers?.[name] ?? []));
  const examples = [...values].map((text, at) => [
    `example-${at + 1}`,
    { value: schema.type === 'integer' ? Number(text) : text },
  ]);
  const required = replies.every(({ headers }) => headers?.[name] !== undefined);
  return { description, required, schema, examples: Object.fromEntries(examples) };
}

/** Headers that are defined once and referenced. */
export function headerComponents(): Record<string, unknown> {
  const always = ['X-Request-Id', 'Cache-Control'];
  return Object.fromEntries(
    [...always, ...ofLimits].map((name) => [
      name,
      { ...headerMeanings[name], required: always.includes(name) },
    ]),
  );
}
