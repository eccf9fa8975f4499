import { setImmediate as nextTurn } from 'node:timers/promises';
import { RawConnection } from '../support/http/connection.ts';
import type { Spoken } from './judged/judge.ts';
import { type Conversation, type Known, piecesOf } from './requests/conversation.ts';

/** Says all of a conversation on a connection of its own, and reads what comes back until the service closes it. */
export async function spokenWith(port: number, one: Conversation, known: Known): Promise<Spoken> {
  const pieces = piecesOf(one, known);
  const sent = Buffer.concat(pieces);
  const connection = await RawConnection.open(port);
  for (const piece of pieces.slice(0, one.vanishesAfter)) {
    void connection.send(piece);
    await nextTurn();
  }
  if (one.vanishesAfter !== undefined) {
    await connection.reset();
    return { sent, received: Buffer.alloc(0), wasBroken: true };
  }
  connection.socket.end();
  const received = Buffer.from(await connection.closed(), 'latin1');
  return { sent, received, wasBroken: connection.error !== undefined };
}

/** A request that nothing is wrong with. */
export function plainRequest(number: number): Conversation {
  const text = JSON.stringify({ mirror_endpoint: `https://one.example/next/${number}` });
  const head = [
    'POST /public/v1/mirror/campaign/<OWN>/mirror HTTP/1.1',
    'Host: a.example',
    'Authorization: Bearer <KEY>',
    'Content-Type: application/json',
    `Content-Length: ${text.length}`,
  ];
  return { messages: [`${head.join('\r\n')}\r\n\r\n${text}`], cuts: [] };
}

export function isOpen(port: number): Promise<boolean> {
  return RawConnection.open(port).then(
    (connection) => connection.reset().then(() => true),
    () => false,
  );
}
