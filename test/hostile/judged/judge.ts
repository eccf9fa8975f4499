import type { RawResponse } from '../../support/http/message.ts';
import { answersIn, leakIn } from './answers.ts';
import { requestsIn, type StrictRequest } from './requests-in.ts';
import type { Row } from './stored.ts';

export interface Update {
  readonly campaign: number;
  readonly address: string;
}

/** What went over a connection. */
export interface Spoken {
  readonly sent: Buffer;
  readonly received: Buffer;
  /** Whether one side ended it without reading on: answers may be lost. */
  readonly wasBroken: boolean;
}

export interface Judged {
  readonly answers: readonly RawResponse[];
  /** Updates that were acknowledged: each has to be stored once. */
  readonly acknowledged: readonly Row[];
  /** Those that may be stored besides, each once: nobody knows. */
  readonly unknown: readonly Update[];
}

/** @throws where an answer breaks a promise */
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
  const acknowledged: Row[] = [];
  const unknown = wasBroken ? updates.slice(answers.length) : [];
  for (const [nth, answer] of answers.entries()) {
    const leak = leakIn(answer, sent);
    if (leak) throw new Error(leak);
    if (answer.status === 500) throw new Error('500');
    if (answer.status === 503) unknown.push(updates[nth]);
    if (answer.status !== 200) continue;
    const { campaign_id: campaign, target_url: address } = JSON.parse(answer.body).mirror;
    const update = updates[nth];
    if (update?.campaign !== campaign || update?.address !== address)
      throw new Error(`200 for ${campaign} ${JSON.stringify(address)}, asked was ${JSON.stringify(update)}`);
    acknowledged.push({ campaign, address, requestId: String(answer.headers['x-request-id']) });
  }
  return { answers, acknowledged, unknown: unknown.filter((one) => one !== undefined) };
}

/** What a request with this key asks to be set, if it asks for that: read from its bytes alone. */
export function askedUpdate(
  { method, target, headers, body }: StrictRequest,
  key: string,
): Update | undefined {
  const [, campaign] =
    /^(?:https?:\/\/[^/?#]*)?\/public\/v1\/mirror\/campaign\/([1-9]\d{0,15})\/mirror(?:\?.*)?$/i.exec(
      target,
    ) ?? [];
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
