import { rows } from '../support/http/answer-rows.ts';
import { type RawResponse, readResponse } from '../support/http/connection.ts';
import { assertDocumented } from '../support/http/openapi-answers.ts';
import { requestsIn, type StrictlyRead, type StrictRequest } from './requests-in.ts';

export interface Update {
  readonly campaign: number;
  readonly address: string;
  /** Of the answer; undefined if none came. */
  readonly requestId?: string;
}

/** What went over a connection. */
export interface Spoken {
  readonly sent: Buffer;
  readonly received: Buffer;
  /** Whether one side ended it without reading on: answers may be lost. */
  readonly wasBroken: boolean;
}

export interface Judged {
  readonly statuses: readonly number[];
  /** Updates that were acknowledged: each has to be stored once. */
  readonly acknowledged: readonly Update[];
  /** Those that may be stored besides, each once: nobody knows. */
  readonly unknown: readonly Update[];
}

/** Answers whose every byte the contract gives. */
const exact = new Set([
  ...rows.filter(({ status }) => ![404, 405].includes(status)).map(({ status, body }) => `${status} ${body}`),
  '302 {"message":"See /docs."}',
  '400 {"message":"Bad Request"}',
  '408 {"message":"Request Timeout"}',
  '503 {"message":"Service Unavailable"}',
]);
/** Those that repeat something that the caller has sent, and nothing else. */
const repeating: Readonly<Record<number, readonly RegExp[]>> = {
  404: [/^No query results for model \[Campaign\] (.*)$/su, /^The route (.*) could not be found\.$/su],
  405: [/^The ([A-Z-]+) method is not supported for this route\. Supported methods: POST\.$/],
};
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const route = /^(?:https?:\/\/[^/?#]*)?\/public\/v1\/mirror\/campaign\/([1-9]\d{0,15})\/mirror(?:\?.*)?$/i;

/** @throws if an answer breaks a promise */
export function judged({ sent, received, wasBroken }: Spoken, key: string): Judged {
  const asked = requestsIn(sent);
  const all = answersIn(received, asked, wasBroken);
  const answers = all.filter(({ status }) => status >= 200);
  const most = asked.whole.length + (asked.rest ? 1 : 0);
  if (answers.length > most) throw new Error(`${answers.length} answers to ${most} requests`);
  if (all.length - answers.length > most) throw new Error('more than one 100 for a request');
  const closing = answers.findIndex(({ headers }) => headers.connection === 'close');
  if (closing !== -1 && closing !== answers.length - 1) throw new Error('an answer after the last one');
  if (!wasBroken && answers.length === 0 && most > 0) throw new Error('no answer');

  const updates = asked.whole.map((one) => askedUpdate(one, key));
  const unknown = wasBroken ? updates.slice(answers.length) : [];
  const acknowledged: Update[] = [];
  for (const [nth, answer] of answers.entries()) {
    checkTold(answer, sent.toString('latin1'));
    const update = updates[nth];
    if (answer.status === 503) unknown.push(update);
    if (answer.status !== 200) continue;
    const { campaign_id: campaign, target_url: address } = JSON.parse(answer.body).mirror;
    if (update?.campaign !== campaign || update?.address !== address)
      throw new Error(`200 for ${campaign} ${JSON.stringify(address)}, asked was ${JSON.stringify(update)}`);
    acknowledged.push({ campaign, address, requestId: String(answer.headers['x-request-id']) });
  }
  const statuses = answers.map(({ status }) => status);
  return { statuses, acknowledged, unknown: unknown.filter((one) => one !== undefined) };
}

/** What a request with this key asks to be set, if it asks for that: read from its bytes alone. */
function askedUpdate(request: StrictRequest, key: string): Update | undefined {
  const { method, target, headers, body } = request;
  const campaign = route.exec(target)?.[1];
  const credentials = headers.filter(([name]) => name === 'authorization').map(([, value]) => value);
  const isOurs = credentials.length === 1 && credentials[0]?.replace(/^bearer +/i, '') === key;
  if (method !== 'POST' || campaign === undefined || !isOurs) return undefined;
  try {
    const said = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const address = said?.mirror_endpoint;
    return typeof address === 'string' ? { campaign: Number(campaign), address } : undefined;
  } catch {
    return undefined;
  }
}

/** Takes apart what came back, to the last byte. @throws if it is not well-formed; what broke off is only let pass if the connection broke */
function answersIn(bytes: Buffer, asked: StrictlyRead, wasBroken: boolean): RawResponse[] {
  const answers: RawResponse[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const nth = answers.filter(({ status }) => status >= 200).length;
    const one = asked.whole[nth] ?? asked.rest;
    // Nobody knows the method of what the parser refuses.
    const isRefused = one === asked.rest || /^HTTP\/1\.1 4(?:00|31) /.test(rest.toString('latin1', 0, 13));
    const mayHaveBody = isRefused && rest.toString('latin1', rest.indexOf('\r\n\r\n') + 4).startsWith('{');
    const toHead = one?.method === 'HEAD' && !mayHaveBody;
    const read = readResponse(rest, toHead);
    if (!read && wasBroken) break;
    if (!read) throw new Error(`an answer breaks off: ${rest.toString('latin1')}`);
    const { status, headers } = read.response;
    // That of `/`, which is no operation.
    if (status !== 302 || headers.location !== '/docs') assertDocumented(read.response, toHead);
    answers.push(read.response);
    rest = rest.subarray(read.length);
  }
  return answers;
}

/** @throws if an answer reveals more than the contract lets it */
function checkTold({ status, headers, body }: RawResponse, sent: string): void {
  const id = String(headers['x-request-id']);
  if (!uuid.test(id) && !sent.includes(id)) throw new Error(`X-Request-Id is ${id}`);
  if (status === 200 || (status !== 500 && body === '') || exact.has(`${status} ${body}`)) return;
  const { message, ...more } = JSON.parse(body);
  const repeated = repeating[status]
    ?.map((form) => form.exec(message)?.[1])
    .find((part) => part !== undefined);
  if (repeated === undefined || Object.keys(more).length > 0)
    throw new Error(`it is not in the contract: ${status} ${body}`);
  if (!sent.includes(repeated)) throw new Error(`the caller has not sent what it tells: ${repeated}`);
}

/**
 * Compares what was acknowledged with what is stored. `unknown`: updates that may be stored, now or later on, since
 * nobody was told.
 *
 * @throws if an acknowledged update is not stored, or another one is
 */
export function checkStored(judged: readonly Judged[], stored: readonly Update[], unknown: Update[]): void {
  unknown.push(...judged.flatMap((one) => one.unknown));
  const left = [...stored];
  for (const one of judged.flatMap(({ acknowledged }) => acknowledged))
    if (!isTaken(left, (row) => isSame(row, one) && row.requestId === one.requestId))
      throw new Error(`answered with 200 and not stored: ${JSON.stringify(one)}`);
  for (const row of left)
    if (!isTaken(unknown, (one) => isSame(row, one)))
      throw new Error(`stored without a 200: ${JSON.stringify(row)}`);
}

const isSame = (one: Update, other: Update) =>
  one.campaign === other.campaign && one.address === other.address;

function isTaken(from: Update[], matches: (one: Update) => boolean): boolean {
  const at = from.findIndex(matches);
  if (at !== -1) from.splice(at, 1);
  return at !== -1;
}
