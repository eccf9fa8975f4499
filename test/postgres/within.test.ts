import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { within } from '@campaign-mirror/adapters-persistence/sql';
import { expect } from 'chai';

const hour = 3_600_000;

describe('what is waited for in bounded time', () => {
  it('in time: what it resolves with, or its fault', async () => {
    expect(await within(hour, Promise.resolve('done'), 'late')).to.equal('done');
    const fault = new Error('it failed');
    const failed = await within(hour, Promise.reject(fault)).catch((error: unknown) => error);
    expect(failed).to.equal(fault);
  });

  it('too late: what stands for it', async () => {
    const never = new Promise<string>(() => {});
    expect(await within(1, never, 'late')).to.equal('late');
    expect(await within(1, never)).to.equal(undefined);
  });

  it('leaves no timer behind that keeps a process alive', async () => {
    const program = `
      import { within } from '@campaign-mirror/adapters-persistence/sql';
      await within(${hour}, Promise.resolve());
      await within(${hour}, Promise.reject(new Error())).catch(() => {});
    `;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: import.meta.dirname,
      timeout: 50_000,
    });
  });
});
