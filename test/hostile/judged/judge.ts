import type { RawResponse } from '../../support/http/message.ts';
import { answersIn, leakIn } from './answers.ts';
import { askedUpdate, type Update } from './asked-update.ts';
import { requestsIn } from './requests-in.ts';
import type { Row } from './stored.ts';

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
