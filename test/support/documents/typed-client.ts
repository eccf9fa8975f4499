/** A program of a caller, who knows openapi.json alone: a test makes the types beside it, compiles it, and runs it. */
import createClient from 'openapi-fetch';
import type { operations, paths } from './openapi-types.ts';

type Answers = operations['setMirror']['responses'];
type BodyOf<Answer> = Answer extends { content: { 'application/json': infer Body } } ? Body : never;

/** What to say of each answer that the document tells of. */
type Handlers = {
  readonly [Status in keyof Answers]: (body: BodyOf<Answers[Status]>, headers: Headers) => string;
};

const message = (body: { message: string }) => body.message;
const repeat = (_: { message: string }, headers: Headers) => `again after ${headers.get('retry-after')}`;
const handlers: Handlers = {
  200: ({ mirror }) => mirror.target_url,
  400: message,
  401: message,
  403: message,
  404: message,
  405: message,
  408: repeat,
  413: message,
  415: message,
  417: message,
  422: ({ errors }) => errors.mirror_endpoint.join(),
  429: repeat,
  431: message,
  500: message,
  503: repeat,
};
const { 503: _, ...others } = handlers;
// @ts-expect-error 503 is missing.
export const incomplete: Handlers = others;

const [baseUrl = '', calls = '[]'] = process.argv.slice(2);
for (const { key, campaign, address } of JSON.parse(calls)) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
  const { data, error, response } = await client.POST('/public/v1/mirror/campaign/{campaign}/mirror', {
    params: { path: { campaign } },
    body: { mirror_endpoint: address },
  });
  const say = handlers[response.status as keyof Handlers] as (body: unknown, headers: Headers) => string;
  console.log(`${response.status} ${say(data ?? error, response.headers)}`);
}
