import createClient from 'openapi-fetch';
import type { operations, paths } from './openapi-types.ts';

type Answers = operations['setMirror']['responses'];
type BodyOf<Answer> = Answer extends { content: { 'application/json': infer Body } } ? Body : never;

/** What to do with each answer that the document tells of; one that is left out does not compile. */
export type Handlers<Result> = {
  readonly [Status in keyof Answers]: (body: BodyOf<Answers[Status]>, headers: Headers) => Result;
};

/** What a caller makes of an answer. */
export type Advice =
  | { readonly do: 'go on'; readonly target: string }
  | { readonly do: 'repeat'; readonly after: number }
  | { readonly do: 'mend' | 'get a key' | 'ask the owner' | 'report'; readonly why: string };

const because = (what: 'mend' | 'get a key' | 'ask the owner' | 'report') => (body: { message: string }) => ({
  do: what,
  why: body.message,
});
const repeat = (_: { message: string }, headers: Headers) => ({
  do: 'repeat' as const,
  after: Number(headers.get('retry-after') ?? 1),
});

export const advice: Handlers<Advice> = {
  200: ({ mirror }) => ({ do: 'go on', target: mirror.target_url }),
  400: because('mend'),
  401: because('get a key'),
  403: because('ask the owner'),
  404: because('mend'),
  405: because('mend'),
  408: repeat,
  413: because('mend'),
  415: because('mend'),
  417: because('mend'),
  422: ({ errors }) => ({ do: 'mend', why: errors.mirror_endpoint.join() }),
  429: repeat,
  431: because('mend'),
  500: because('report'),
  503: repeat,
};

/** A client by the document alone. */
export const typedClient = (baseUrl: string, key: string) =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

/** @throws TypeError for a status that the document does not tell of */
export function answered<Result>(
  handlers: Handlers<Result>,
  { data, error, response }: { data?: unknown; error?: unknown; response: Response },
): Result {
  const handler = Object.entries(handlers).find(([status]) => Number(status) === response.status)?.[1];
  if (!handler) throw new TypeError(`openapi.json does not tell of ${response.status}`);
  // That the body is the one of the status is what the tests of the document hold.
  return (handler as (body: unknown, headers: Headers) => Result)(data ?? error, response.headers);
}
