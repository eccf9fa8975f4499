import type { Capacity, HttpServer } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { eventually } from '../eventually.ts';
import { RawConnection } from './connection.ts';

/** Ends a listener whose callers leave now. @throws where something is left of what they asked: a leak */
export async function stopListener(server: HttpServer, capacity: Capacity, port: number): Promise<void> {
  RawConnection.resetAll(port);
  const nothingIsLeft = () => {
    const { inFlight } = capacity;
    const { connections } = server;
    expect({ inFlight, connections }).to.deep.equal({ inFlight: 0, connections: 0 });
  };
  try {
    await eventually('a listener that its callers have left', nothingIsLeft, { within: 5_000 });
  } finally {
    await server.drain(0);
  }
}
