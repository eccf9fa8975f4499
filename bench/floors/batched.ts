import { mirrorBody } from '@campaign-mirror/adapters-http';
import { type AccessKey, campaignId, type MirrorAddress } from '@campaign-mirror/domain';
import pg from 'pg';
import { groupCommit, heldAtMost } from '../../packages/adapters-persistence/src/hot-path/open-hot-path.ts';
import { keyHash } from '../../packages/adapters-persistence/src/schema/key-hash.ts';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { campaignIn, keyIn, read, send, sendBody, serve } from './http.ts';

/**
 * The floor, with our persistence adapter in the place of its statements: what batches give where nothing else is added.
 * What ours does less than this is what its framework, checks, log and metrics cost.
 */
const { DATABASE_URL } = process.env;
const size = 10;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: size });
const hotPath = groupCommit(new Statements(pool), { maxHeld: heldAtMost(size), timeout: 5_000 });

serve(async (request, response) => {
  const named = campaignIn(request);
  const id = named === undefined ? undefined : campaignId(named);
  if (id === undefined) return send(response, 404, 'Not Found');
  const key = keyIn(request);
  const asked = Promise.all([hotPath.key(keyHash(key as AccessKey)), hotPath.campaign(id)]);
  const [body, [caller, campaign]] = await Promise.all([read(request), asked]);
  if (!caller) return send(response, 401, 'Unauthenticated.');
  if (!campaign) return send(response, 404, 'Not Found');
  const { ownerId, isDefault, hasMirror } = campaign;
  if (ownerId !== caller.ownerId || isDefault || !hasMirror) {
    return send(response, 403, 'This action is unauthorized.');
  }
  const address = JSON.parse(body).mirror_endpoint;
  if (typeof address !== 'string' || !URL.canParse(address)) return send(response, 422, 'Invalid');
  const change = { address: address as MirrorAddress, by: caller, requestId: crypto.randomUUID() };
  const result = await hotPath.set(campaign, change);
  if (result?.kind !== 'mirror-set') return send(response, 403, 'This action is unauthorized.');
  sendBody(response, 200, mirrorBody(result.mirror));
});
