import { expect } from 'chai';
import { readMeanwhile } from '../../packages/adapters-http/src/submitted-body.ts';
import { rejection } from '../support/faults.ts';

const bytes = Buffer.from('{"mirror_endpoint":"https://example.com/"}');

describe('a body is read while others work', () => {
  it('what was asked of them goes out first, also what goes at the end of the turn', async () => {
    const order: string[] = [];
    const read = await readMeanwhile(bytes, (reading) => {
      setImmediate(() => order.push('asked'));
      return reading.finally(() => order.push('read'));
    });
    expect(read).to.deep.equal({ address: 'https://example.com/' });
    expect(order).to.deep.equal(['asked', 'read']);
  });

  it('a fault of reading it is told to whoever acts, and ends nothing else', async () => {
    const fault = new Error('the reader broke');
    const broken = Object.defineProperty(Buffer.alloc(1), 'length', {
      get: () => {
        throw fault;
      },
    });
    expect(await rejection(readMeanwhile(broken, (reading) => reading))).to.equal(fault);
  });
});
