import {
  type BadLine,
  type CampaignImport,
  type Claims,
  claimsOf,
  type ImportedCampaign,
  type ImportLine,
  type ImportOutcome,
  type LineFault,
} from '@campaign-mirror/domain';
import { StoreAdapter, timestamp } from './store.ts';

/** Imports campaigns from elsewhere, in memory: for tests, and for reuse without persistence. */
export class InMemoryCampaignImport extends StoreAdapter implements CampaignImport {
  async importAll(
    source: string,
    lines: AsyncIterable<ImportLine>,
    tell: (bad: BadLine) => Promise<void>,
  ): Promise<ImportOutcome> {
    const all: ImportLine[] = [];
    for await (const line of lines) all.push(line);
    const bad = this.#faultsOf(all);
    if (bad.length === 0) return this.#write(source, all);
    for (const one of bad) await tell(one);
    return { kind: 'refused', badLines: new Set(bad.map(({ line }) => line)).size };
  }

  #faultsOf(all: readonly ImportLine[]): BadLine[] {
    const firsts = { id: new Map(), mirrorId: new Map(), defaultOf: new Map() };
    return all.flatMap((one) => {
      const claims = 'campaign' in one ? claimsOf(one.campaign) : one.claims;
      const first = (what: keyof typeof firsts): { line: number; claims: Claims } | undefined => {
        const known = firsts[what].get(claims[what]);
        if (!known && claims[what] !== null) firsts[what].set(claims[what], { line: one.line, claims });
        return known;
      };
      const faults = 'campaign' in one ? [] : one.faults;
      const taken = this.#taken(claims, first('id')?.line, first('mirrorId')?.line, first('defaultOf'));
      return [...faults, ...taken].map((fault) => ({ line: one.line, fault }));
    });
  }

  *#taken(
    { id, mirrorId, defaultOf: ownerId }: Claims,
    sameId: number | undefined,
    sameMirror: number | undefined,
    sameDefault: { line: number; claims: Claims } | undefined,
  ): Generator<LineFault> {
    const isKnown = id !== null && this.store.campaigns.has(id);
    if (id !== null && (isKnown || sameId)) {
      yield { kind: 'campaign-taken', id, line: isKnown ? null : (sameId ?? null) };
    }
    const isMirrorKnown = [...this.store.mirrors.values()].some((one) => one.id === mirrorId);
    if (mirrorId !== null && (isMirrorKnown || sameMirror)) {
      yield { kind: 'mirror-taken', id: mirrorId, line: isMirrorKnown ? null : (sameMirror ?? null) };
    }
    if (ownerId === null) return;
    const known = [...this.store.campaigns.values()].find((one) => one.ownerId === ownerId && one.isDefault);
    if (known) {
      if (known.id !== id)
        yield { kind: 'second-default', ownerId, id: known.id, name: known.name, line: null };
    } else if (sameDefault) {
      const { line, claims } = sameDefault;
      yield { kind: 'second-default', ownerId, id: claims.id, name: claims.name, line };
    }
  }

  #write(source: string, all: readonly ImportLine[]): ImportOutcome {
    const campaigns = all.flatMap((one) => ('campaign' in one ? one.campaign : []));
    const numbers = campaigns.flatMap(({ id, mirror }) => [id ?? 0, mirror?.id ?? 0]);
    for (const number of numbers) this.store.moveOn(number);
    const mirrors = campaigns.filter((one) => this.#writeOne(one)).length;
    const details = { campaigns: campaigns.length, mirrors, source };
    this.note({ act: 'campaigns-imported', details });
    return { kind: 'imported', campaigns: campaigns.length, mirrors };
  }

  /** Whether there is a mirror. */
  #writeOne({ mirror, ...campaign }: ImportedCampaign): boolean {
    const now = timestamp(this.store.now());
    const id = campaign.id ?? this.store.nextId();
    this.store.campaigns.set(id, { ...campaign, id, createdAt: campaign.createdAt ?? now });
    if (!mirror) return false;
    const createdAt = mirror.createdAt ?? now;
    const updatedAt = mirror.updatedAt ?? now;
    const mirrorId = mirror.id ?? this.store.nextId();
    this.store.mirrors.set(id, { ...mirror, id: mirrorId, campaignId: id, createdAt, updatedAt });
    return true;
  }
}
