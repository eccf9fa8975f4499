import { httpServer } from './http/http-server.ts';

/** A port of the loopback address that nobody listens on, for a program that takes no other's word for it. */
export async function freePort(): Promise<number> {
  const { port, close } = await httpServer(() => {});
  await close();
  return port;
}
