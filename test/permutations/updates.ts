import { type CampaignId, keySubject, type MirrorAddress } from '@campaign-mirror/domain';
import type { BatchSetResult, MirrorToSet } from '@campaign-mirror/domain/operator';
import type pg from 'pg';
import { type TextRow, textTypes } from '../../packages/adapters-persistence/src/connection/rows.ts';
import { setAsOperatorText } from '../../packages/adapters-persistence/src/operator/mirror-store.ts';
import {
  mirrorsValues,
  resultsOf,
  settingMirrors,
} from '../../packages/adapters-persistence/src/statements/set-statement.ts';
import { type Act, demand, demandLock } from './acts.ts';
import type { Stage } from './stage.ts';

const addressOf = (nth: number) => `https://example.com/by-${nth}` as MirrorAddress;

async function rowsOf(client: pg.ClientBase, name: string, text: string, values: unknown[]) {
  const config = { name, text, values, types: textTypes, rowMode: 'array' as const };
  return (await client.query(config)).rows as unknown as TextRow[];
}

/** The result of an update in a serial order: the mirror, or why it was not set. */
function modelOfSet(
  { owner, isDefault, expected }: Pick<MirrorToSet, 'owner' | 'isDefault'> & { expected?: string },
  change: { address: string; subject: string; request: string },
  condition?: 'unchanged',
): Act['model'] {
  return (state, seen, beside) => {
    const result = seen.result as BatchSetResult;
    const isValid = change.subject === 'operator' || !state.isRevoked;
    const factsHold =
      state.mirror !== null &&
      (owner === null || state.campaign?.owner === owner) &&
      (isDefault === null || state.campaign?.isDefault === isDefault);
    const addressHolds = expected === undefined || state.mirror?.address === expected;
    const conditionHolds = addressHolds && (!condition || state.changes.length === 0);
    const { address = '', clicks, isFirst = true } = state.mirror ?? {};
    if (result.kind === 'caller-invalid') demand(!isValid, 'it refused a valid key');
    else if (result.kind === 'campaign-differs') {
      demand(isValid && !factsHold, 'it refused a campaign that was as expected');
      const { ownerId, isDefault, hasMirror } = result.campaign ?? {};
      const said = result.campaign && `${ownerId} ${isDefault} ${hasMirror}`;
      const is =
        state.campaign && `${state.campaign.owner} ${state.campaign.isDefault} ${state.mirror !== null}`;
      demand(said === (is ?? undefined), `it said ${said}, which is ${is}`);
    } else if (result.kind === 'condition-failed') {
      demand(isValid && factsHold && !conditionHolds, 'the condition held');
      const said = `${result.mirror.targetUrl} ${result.mirror.clicks}`;
      demand(said === `${address} ${clicks}`, `it said that the mirror is ${said}`);
    } else {
      demand(isValid && factsHold && conditionHolds, `it was ${result.kind} against the facts`);
      if (result.kind === 'locked') return demandLock(beside);
      const { mirror } = result;
      demand(mirror.clicks === clicks, `it answered ${mirror.clicks} clicks of ${clicks}`);
      demand((Number(mirror.id) === state.firstMirror) === isFirst, 'it answered another mirror');
      const { subject, request } = change;
      state.changes.push({ subject, request, before: address, after: change.address });
      state.mirror = { address: change.address, clicks: clicks ?? 0, isFirst };
      if (subject === 'operator') state.entries.push(`mirror-set ${address} ${change.address}`);
    }
  };
}

/**
 * A caller's update, which waits for the lock of its mirror, or passes over it, alone or in a batch. With `unchanged`,
 * it requires that the mirror was not changed since the order began.
 */
export function update(
  stage: Stage,
  nth: number,
  how: 'waits' | 'passes' | 'batch',
  only?: 'unchanged',
): Act {
  const request = `request-${nth}`;
  const by = { ownerId: stage.owner, subject: keySubject(stage.key) };
  const facts = { campaign: stage.campaign, owner: stage.owner, isDefault: false };
  const change = { ...facts, address: addressOf(nth), by, key: stage.key, requestId: request };
  const mirror = only ? { ...change, lastChange: 0 } : change;
  const missing = { ...change, campaign: 1 as CampaignId };
  const mirrors = how === 'batch' ? [missing, mirror] : [mirror];
  return {
    name: 'set',
    request,
    neverWaits: how !== 'waits',
    run: async (client) => {
      const { text, values } = settingMirrors({ waits: how === 'waits' });
      return { result: resultsOf(mirrors, await rowsOf(client, how, text, values(mirrors))).at(-1) };
    },
    model: modelOfSet(facts, { address: change.address, subject: `key:${stage.key}`, request }, only),
  };
}

/** The operator's update, which waits, whatever the owner and the flag are; if the mirror still has `expected`. */
export function operatorSets(stage: Stage, nth: number, expected?: string): Act {
  const request = `operator-${nth}`;
  const facts = { owner: null, isDefault: null, ...(expected === undefined ? {} : { expected }) };
  const mirror = { campaign: stage.campaign, address: addressOf(nth), ...facts };
  return {
    name: 'operator-set',
    request,
    run: async (client) => {
      const values = [...mirrorsValues([mirror]), 'mirror-set', 'tests', request, '{}', null];
      const rows = await rowsOf(client, 'operator', setAsOperatorText({ waits: true }), values);
      return { result: resultsOf([mirror], rows)[0] };
    },
    model: modelOfSet(facts, { address: mirror.address, subject: 'operator', request }),
  };
}
