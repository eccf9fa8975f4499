import { expect } from 'chai';
import { logBy } from '../../packages/app/src/logging/log.ts';
import { LogLines } from '../../packages/app/src/logging/log-lines.ts';
import { Life } from '../../packages/app/src/process/life.ts';
import { endParts, type Part } from '../../packages/app/src/wiring/parts.ts';

describe('contract: life — the parts of a process come to their end one after the other', () => {
  const order: string[] = [];
  let logged = '';
  const log = logBy(
    new LogLines({
      write: (text) => {
        logged += text;
      },
    }),
    'info',
  );
  const lines = () =>
    logged
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  async function ended(ends: Record<string, () => Promise<void>>, timeout: number) {
    order.length = 0;
    logged = '';
    const life = new Life(log);
    const parts = Object.keys(ends).map((name) => ({ name, module: name, timeout }) as unknown as Part);
    const container = {
      unloadAsync: async (module: unknown) => {
        order.push(String(module));
        await ends[String(module)]?.();
      },
    };
    await endParts(container, parts, life, log, undefined);
    return life.exitCode;
  }

  it('the last first; exit code 0', async () => {
    const code = await ended({ database: async () => {}, http: async () => {} }, 60_000);
    expect([code, order, lines()]).to.deep.equal([0, ['http', 'database'], []]);
  });

  it('one that hangs is named and left behind; exit code 1', async () => {
    const code = await ended({ database: async () => {}, pool: () => new Promise(() => {}) }, 20);
    expect([code, order]).to.deep.equal([1, ['pool', 'database']]);
    expect(lines()).to.have.length(1);
    expect(lines()[0]).to.include({ event: 'hung', part: 'pool', msg: 'pool did not end within 20 ms' });
  });

  it('one that fails does not keep the others; exit code 1', async () => {
    const fails = () => Promise.reject(new Error('broken'));
    const code = await ended({ database: async () => {}, pool: fails }, 60_000);
    expect([code, order]).to.deep.equal([1, ['pool', 'database']]);
    expect(lines()[0]).to.include({ event: 'stop-failed', part: 'pool' });
  });
});
