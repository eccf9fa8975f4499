import { readFileSync } from 'node:fs';
import { projectFolder } from '../workspace.ts';

/** Our systemd unit. */
export class UnitFile {
  readonly #text = readFileSync(`${projectFolder}ops/campaign-mirror@.service`, 'utf8');

  /** @throws Error where it is not there, or twice */
  one(name: string): string {
    const [found, ...more] = this.#text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'));
    if (found === undefined || more.length > 0) throw new Error(`${name}= is not there once`);
    return found[1] ?? '';
  }
}
