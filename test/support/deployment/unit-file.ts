import { readFileSync } from 'node:fs';
import { projectFolder } from '../workspace.ts';

const unitPath = `${projectFolder}ops/campaign-mirror@.service`;

/** Where systemd 252 puts what LoadCredential= names: `%d`. */
export const credentialsFolder = '/run/credentials/campaign-mirror@1.service';

/** Our systemd unit, as its first instance. Several lines of a name add up, as they do for the names that are read here. */
export class UnitFile {
  readonly #lines: readonly (readonly [name: string, value: string])[];

  constructor() {
    this.#lines = [...readFileSync(unitPath, 'utf8').matchAll(/^([A-Za-z]+)=(.*)$/gm)].map(
      ([, name = '', value = '']) => [name, value],
    );
  }

  all(name: string): string[] {
    return this.#lines.flatMap(([one, value]) => (one === name ? [value] : []));
  }

  /** @throws Error where it is not there, or twice */
  one(name: string): string {
    const [value, ...more] = this.all(name);
    if (value === undefined || more.length > 0) throw new Error(`${name}= is not there once`);
    return value;
  }

  get environment(): Record<string, string> {
    const words = this.all('Environment').flatMap((value) => value.split(/\s+/));
    return Object.fromEntries(
      words.map((word) => {
        const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(word) ?? [];
        return [name, value.replaceAll('%d', credentialsFolder).replaceAll('%i', '1')];
      }),
    );
  }
}
