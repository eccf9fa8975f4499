import { rows } from '../../support/http/answer-rows.ts';
import { type RawResponse, readResponse } from '../../support/http/message.ts';
import { assertDocumented } from '../../support/http/openapi-answers.ts';
import type { StrictlyRead } from './requests-in.ts';

/** Answers whose every byte the contract gives. */
const exact = new Set([
  ...rows.filter(({ status }) => ![404, 405].includes(status)).map(({ status, body }) => `${status} ${body}`),
  ...[
    '400 {"message":"Bad Request"}',
    '408 {"message":"Request Timeout"}',
    '503 {"message":"Service Unavailable"}',
  ],
  ...['204 ', '100 '],
]);
/** Those that repeat something that the caller has sent, and nothing else. */
const repeating: Readonly<Record<number, readonly RegExp[]>> = {
  404: [/^No query results for model \[Campaign\] (.*)$/su, /^The route (.*) could not be found\.$/su],
  405: [/^The ([A-Z-]+) method is not supported for this route\. Supported methods: POST\.$/],
};
const brace = '{'.charCodeAt(0);
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Takes apart what came back, to the last byte. @throws where it is not well-formed; what broke off is only let pass where the connection broke */
export function answersIn(bytes: Buffer, asked: StrictlyRead, wasBroken: boolean): RawResponse[] {
  const answers: RawResponse[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const nth = answers.filter(({ status }) => status >= 200).length;
    const one = asked.whole[nth] ?? asked.rest;
    // Nobody knows the method of what the parser refuses.
    const isRefused = one === asked.rest || /^HTTP\/1\.1 4(?:00|31) /.test(rest.toString('latin1', 0, 13));
    const mayHaveBody = isRefused && rest.at(rest.indexOf('\r\n\r\n') + 4) === brace;
    const toHead = one?.method === 'HEAD' && !mayHaveBody;
    const read = readResponse(rest, toHead);
    if (!read && wasBroken) break;
    if (!read) throw new Error(`an answer breaks off: ${rest.toString('latin1')}`);
    assertDocumented(read.response, toHead);
    answers.push(read.response);
    rest = rest.subarray(read.length);
  }
  return answers;
}

/** Why an answer tells more than the contract lets it, if it does. */
export function leakIn({ status, headers, body }: RawResponse, sent: Buffer): string | undefined {
  const text = sent.toString('latin1');
  const id = headers['x-request-id'];
  if (status !== 100 && (typeof id !== 'string' || !(uuid.test(id) || text.includes(id))))
    return `X-Request-Id is ${id}`;
  if (status === 200) return undefined;
  if (exact.has(`${status} ${body}`) || body === '') return undefined;
  const { message, ...more } = JSON.parse(body);
  const repeated = (repeating[status] ?? [])
    .map((form) => form.exec(message)?.[1])
    .find((part) => part !== undefined);
  if (repeated === undefined || Object.keys(more).length > 0)
    return `it is not in the contract: ${status} ${body}`;
  const wasSent = text.includes(repeated) || decodedSegments(text).some((part) => part.startsWith(repeated));
  return wasSent ? undefined : `the caller has not sent what it tells: ${repeated}`;
}

function decodedSegments(text: string): string[] {
  return text.split(/[/ ?]/).flatMap((segment) => {
    if (!segment.includes('%')) return [];
    try {
      return [decodeURIComponent(segment)];
    } catch {
      return [];
    }
  });
}
