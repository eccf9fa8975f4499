import {
  type Campaign,
  type Mirror,
  type OperatorAct,
  type OperatorMirrors,
  operatorSubject,
  type RestoredAddress,
} from '@campaign-mirror/domain';
import { setMirrorIn } from './set-mirror.ts';
import { type InMemoryStore, somebody } from './store.ts';

/** Mirrors as the operator sets them, in memory: for tests, and for reuse without persistence. */
export class InMemoryOperatorMirrors implements OperatorMirrors {
  readonly #store: InMemoryStore;
  readonly #act: OperatorAct;

  constructor(store: InMemoryStore, act = somebody) {
    this.#store = store;
    this.#act = act;
  }

  async setMirror(seen: Campaign, { address, change }: RestoredAddress): Promise<Mirror | undefined> {
    const before = this.#store.mirrors.get(seen.id)?.targetUrl ?? null;
    const by = { subject: operatorSubject, requestId: this.#act.requestId };
    const mirror = setMirrorIn(this.#store, seen, address, by);
    if (!mirror) return undefined;
    this.#store.note(this.#act, {
      act: 'mirror-restored',
      campaignId: seen.id,
      ownerId: seen.ownerId,
      details: { change, address_before: before, address_after: address },
    });
    return mirror;
  }
}
