import { expect } from 'chai';
import { logTo } from '../../packages/app/src/logging/log.ts';
import { Life } from '../../packages/app/src/process/life.ts';
import { linesIn } from '../support/documents/log-schema.ts';

describe('contract: life — the parts of a process come to their end one after the other', () => {
  async function ended(parts: Record<string, () => unknown>, timeout: number) {
    let output = '';
    const log = logTo({ write: (line) => (output += line) }, 'info');
    const life = new Life(log);
    const order: string[] = [];
    for (const [name, end] of Object.entries(parts)) {
      const noted = () => {
        order.push(name);
        return end();
      };
      life.atEnd(name, noted, timeout);
    }
    await life.endParts();
    return { code: life.exitCode, order, lines: output === '' ? [] : linesIn(output) };
  }

  it('the last first; exit code 0', async () => {
    const { code, order, lines } = await ended({ database: () => {}, http: async () => {} }, 60_000);
    expect([code, order, lines]).to.deep.equal([0, ['http', 'database'], []]);
  });

  it('one that hangs is named and left behind; exit code 1', async () => {
    const parts = { database: () => {}, pool: () => new Promise(() => {}) };
    const { code, order, lines } = await ended(parts, 20);
    expect([code, order]).to.deep.equal([1, ['pool', 'database']]);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ event: 'hung', part: 'pool', msg: 'pool did not end within 20 ms' });
  });

  it('one that fails does not keep the others; exit code 1', async () => {
    const parts = { database: () => {}, pool: () => Promise.reject(new Error('broken')) };
    const { code, order, lines } = await ended(parts, 60_000);
    expect([code, order]).to.deep.equal([1, ['pool', 'database']]);
    expect(lines[0]).to.include({ event: 'stop-failed', part: 'pool' });
  });
});
