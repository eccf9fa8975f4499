import type { Capacity, HttpServer } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { eventually } from './eventually.ts';
import { RawConnection } from './http-connection.ts';

/** Ends a listener that its tests are done with. @throws where something is left of what they asked: a leak */
export async function stopListener(server: HttpServer, capacity: Capacity, port: number): Promise<void> {
  try {
    await nothingIsLeft(server, capacity);
  } finally {
    // What a test that failed has left open would hold up the drain, or the end of the run.
    RawConnection.resetAll(port);
    await server.drain(0);
  }
}

function nothingIsLeft(server: HttpServer, capacity: Capacity): Promise<void> {
  return eventually(
    'a listener that its callers have left',
    () => {
      const left = `${capacity.inFlight} in flight, ${capacity.inLine} in line, ${server.connections} connections`;
      expect(left).to.equal('0 in flight, 0 in line, 0 connections');
    },
    { within: 5_000 },
  );
}
