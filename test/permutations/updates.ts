import { type CampaignId, keySubject, type MirrorAddress } from '@campaign-mirror/domain';
import type { MirrorToSet } from '@campaign-mirror/domain/operator';
import type pg from 'pg';
import { type TextRow, textTypes } from '../../packages/adapters-persistence/src/connection/rows.ts';
import { setAsOperatorText } from '../../packages/adapters-persistence/src/operator/mirror-store.ts';
import {
  mirrorsValues,
  resultsOf,
  settingMirrors,
} from '../../packages/adapters-persistence/src/statements/set-statement.ts';
import { type Act, demand, locking, overlaps } from './acts.ts';
import type { State } from './judge.ts';
import type { Stage } from './stage.ts';

const addressOf = (nth: number) => `https://example.com/by-${nth}` as MirrorAddress;

async function textRows(
  client: pg.ClientBase,
  name: string,
  text: string,
  values: unknown[],
): Promise<TextRow[]> {
  const config = { name, text, values, types: textTypes, rowMode: 'array' as const };
  return (await client.query(config)).rows as unknown as TextRow[];
}

/** What the row of an update says, in a serial order: the mirror as it was, or why it was not set. */
function modelOfSet(
  { owner, isDefault, expected }: Pick<MirrorToSet, 'owner' | 'isDefault'> & { expected?: string },
  change: { address: string; subject: string; request: string },
  condition?: 'unchanged',
): Act['model'] {
  return (state, { result, waitedUntil = 0 }, beside) => {
    const { kind, mirror, campaign } = result as ReturnType<typeof resultsOf>[number] & {
      mirror: { id: number; targetUrl: string; clicks: number };
      campaign: { ownerId: number; isDefault: boolean; hasMirror: boolean } | undefined;
    };
    const isValid = change.subject === 'operator' || state.keyWas.length === 0;
    const factsHold =
      state.mirror !== null &&
      (owner === null || state.campaign?.owner === owner) &&
      (isDefault === null || state.campaign?.isDefault === isDefault);
    const addressHolds = expected === undefined || state.mirror?.address === expected;
    const conditionHolds = !condition || state.changes.length === 0;
    const isAsExpected = isValid && factsHold && addressHolds && conditionHolds;
    if (kind === 'mirror-set') {
      demand(isAsExpected, 'it was set against the facts');
      const { address, clicks, isFirst } = state.mirror as NonNullable<State['mirror']>;
      demand(mirror.clicks === clicks, `it answered ${mirror.clicks} clicks of ${clicks}`);
      demand((mirror.id === state.firstMirror) === isFirst, 'it answered the number of another mirror');
      const { subject, request } = change;
      state.changes.push({
        subject,
        request,
        before: address,
        after: change.address,
        notBefore: waitedUntil,
      });
      state.mirror = { address: change.address, clicks, isFirst };
      if (subject === 'operator') state.entries.push(`mirror-set ${address} ${change.address}`);
    } else if (kind === 'caller-invalid') demand(!isValid, 'it refused a valid key');
    else if (kind === 'campaign-differs') {
      demand(isValid && !factsHold, 'it refused a campaign that was as expected');
      const said = campaign && `${campaign.ownerId} ${campaign.isDefault} ${campaign.hasMirror}`;
      const is =
        state.campaign && `${state.campaign.owner} ${state.campaign.isDefault} ${state.mirror !== null}`;
      demand(said === (is ?? undefined), `it said ${said}, which is ${is}`);
    } else if (kind === 'condition-failed') {
      demand(isValid && factsHold && !(addressHolds && conditionHolds), 'the condition held');
      const { targetUrl, clicks } = mirror;
      const said = `${targetUrl} ${clicks}`;
      demand(
        said === `${state.mirror?.address} ${state.mirror?.clicks}`,
        `it said that the mirror is ${said}`,
      );
    } else {
      demand(isAsExpected, 'it was passed over against the facts');
      demand(overlaps(beside, ...locking), 'it was passed over, and nobody had locked the mirror');
    }
  };
}

/** A caller's update: of one mirror, which may wait, or of one in a batch; whatever its last change is, or only then. */
export function update(
  stage: Stage,
  nth: number,
  how: 'waits' | 'passes' | 'batch',
  only?: 'unchanged',
): Act {
  const request = `request-${nth}`;
  const by = { ownerId: stage.owner, subject: keySubject(stage.key) };
  const facts = { campaign: stage.campaign, owner: stage.owner, isDefault: false };
  const plain = { ...facts, address: addressOf(nth), by, key: stage.key, requestId: request };
  return {
    name: 'set',
    request,
    neverWaits: how !== 'waits',
    run: async (client) => {
      const mirror = { ...plain, lastChange: only && stage.lastChange };
      // There is no such campaign.
      const mirrors = how === 'batch' ? [{ ...plain, campaign: 1 as CampaignId }, mirror] : [mirror];
      const { text, values } = settingMirrors({ waits: how === 'waits' });
      const rows = await textRows(client, how === 'waits' ? 'waits' : 'passes', text, values(mirrors));
      return { result: resultsOf(mirrors, rows).at(-1) };
    },
    model: modelOfSet(facts, { address: plain.address, subject: `key:${stage.key}`, request }, only),
  };
}

/** The operator's, which waits: whatever the owner and the flag; or only if it has the address that it had. */
export function operatorSets(stage: Stage, nth: number, expected?: string): Act {
  const request = `operator-${nth}`;
  const facts = { owner: null, isDefault: null, ...(expected === undefined ? {} : { expected }) };
  const mirror = { campaign: stage.campaign, address: addressOf(nth), ...facts };
  return {
    name: 'operator-set',
    request,
    run: async (client) => {
      const values = [...mirrorsValues([mirror]), 'mirror-set', 'tests', request, '{}', null];
      const rows = await textRows(client, 'operator', setAsOperatorText({ waits: true }), values);
      return { result: resultsOf([mirror], rows)[0] };
    },
    model: modelOfSet(facts, { address: mirror.address, subject: 'operator', request }),
  };
}
