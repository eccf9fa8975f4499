import type { HotPath } from '../../../packages/adapters-persistence/src/hot-path/hot-path.ts';
import { keyHash } from '../../../packages/adapters-persistence/src/schema/key-hash.ts';
import { change, type Live } from './world.ts';

/**
 * A hot path on which nobody goes alone: with each call goes one of its kind for another campaign, or another key, so
 * that what is seen of it is seen of the statements for many. The companion sets its mirror so many times: more than
 * once makes a chain.
 */
export function inCompany(hotPath: HotPath, another: () => Promise<Live>, updates: number): HotPath {
  let made: Promise<Live> | undefined;
  const companion = () => {
    made ??= another();
    return made;
  };
  return {
    key: async (hash) => {
      const { key } = await companion();
      const [, row] = await Promise.all([hotPath.key(keyHash(key)), hotPath.key(hash)]);
      return row;
    },
    campaign: async (id) => {
      const { seen } = await companion();
      const [, campaign] = await Promise.all([hotPath.campaign(seen.id), hotPath.campaign(id)]);
      return campaign;
    },
    set: async (asSeen, to) => {
      const { seen, by } = await companion();
      const theirs = Array.from({ length: updates }, () => hotPath.set(seen, change(by)));
      const [result, ...served] = await Promise.all([hotPath.set(asSeen, to), ...theirs]);
      if (served.some((one) => one?.kind !== 'mirror-set')) throw new Error('the companion was not served');
      return result;
    },
  };
}
