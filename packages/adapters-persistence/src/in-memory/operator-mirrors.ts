import {
  type Campaign,
  type Mirror,
  type OperatorMirrors,
  operatorSubject,
  type RestoredAddress,
} from '@campaign-mirror/domain';
import { setMirrorIn } from './set-mirror.ts';
import { StoreAdapter } from './store.ts';

/** Mirrors as the operator sets them, in memory: for tests, and for reuse without persistence. */
export class InMemoryOperatorMirrors extends StoreAdapter implements OperatorMirrors {
  async setMirror(seen: Campaign, { address, change }: RestoredAddress): Promise<Mirror | undefined> {
    const before = this.store.mirrors.get(seen.id)?.targetUrl ?? null;
    const by = { subject: operatorSubject, requestId: this.act.requestId };
    const mirror = setMirrorIn(this.store, seen, address, by);
    if (!mirror) return undefined;
    this.note({
      act: 'mirror-restored',
      campaignId: seen.id,
      ownerId: seen.ownerId,
      details: { change, address_before: before, address_after: address },
    });
    return mirror;
  }
}
