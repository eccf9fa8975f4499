import type { Capacity, HttpServer } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { eventually } from '../eventually.ts';
import { RawConnection } from './connection.ts';

/** Ends a listener whose callers leave now. @throws where something is left of what they asked: a leak */
export async function stopListener(server: HttpServer, capacity: Capacity, port: number): Promise<void> {
  RawConnection.resetAll(port);
  const nothingIsLeft = () => {
    const { inFlight, inLine } = capacity;
    const { connections, waitingForRefusal } = server;
    const nothing = { inFlight: 0, inLine: 0, connections: 0, waitingForRefusal: 0 };
    expect({ inFlight, inLine, connections, waitingForRefusal }).to.deep.equal(nothing);
  };
  try {
    await eventually('a listener that its callers have left', nothingIsLeft, { within: 5_000 });
  } finally {
    await server.drain(0);
  }
}
