import { expect } from 'chai';
import { lockMirror, rival, untilWaiting } from '../database/rival.ts';
import { RawConnection, type RawResponse } from './connection.ts';
import type { HttpService } from './service.ts';

/** The differences of a request from one that sets the mirror of the caller's own campaign. */
export interface Asking {
  readonly method?: string;
  readonly campaign?: number | string;
  readonly target?: string;
  /** An array is sent as several lines; undefined removes the header. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string | Buffer | undefined;
}
export type Given = (service: HttpService) => Asking;

export const newAddress = 'https://example.com/after';
export const bodyWith = (endpoint: unknown) => JSON.stringify({ mirror_endpoint: endpoint });
export const goodBody = bodyWith(newAddress);
export const pathOf = (campaign: number | string) => `/public/v1/mirror/campaign/${campaign}/mirror`;

/** The bytes of a request. `headers` are latin1 text. */
export function requestBytes(service: HttpService, asking: Asking = {}): Buffer {
  const { method = 'POST', campaign = service.campaigns.own, target = pathOf(campaign) } = asking;
  const { body = 'body' in asking ? undefined : goodBody } = asking;
  const headers: Asking['headers'] = {
    Host: 'mirrors.example.com',
    Authorization: `Bearer ${service.keys.valid}`,
    'Content-Type': 'application/json',
    'Content-Length': body === undefined ? undefined : String(Buffer.byteLength(body)),
    ...asking.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map((one) => `${name}: ${one}\r\n`),
  );
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')]);
}

/** The bytes of the same request with its body in chunks. */
export function chunkedBytes(service: HttpService, chunks: readonly string[], asking: Asking = {}): Buffer {
  const headers = { 'Transfer-Encoding': 'chunked', ...asking.headers };
  const head = requestBytes(service, { ...asking, headers, body: undefined });
  const pieces = [...chunks, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return Buffer.concat([head, Buffer.from(pieces.join(''))]);
}

/** Sends bytes on a connection of their own, and resolves with the first answer. */
export async function exchange({ port }: { port: number }, bytes: string | Buffer): Promise<RawResponse> {
  const connection = await RawConnection.open(port);
  void connection.send(bytes);
  return connection.response().finally(() => connection.reset());
}

export const ask = (service: HttpService, asking: Asking = {}): Promise<RawResponse> =>
  exchange(service, requestBytes(service, asking));

/** Checks that the service answers, and that the connection can still be used. */
export async function servesOn(service: HttpService, connection: RawConnection): Promise<void> {
  void connection.send(requestBytes(service));
  expect((await connection.response()).status).to.equal(200);
}

/** Opens connections whose first requests wait for a lock on the mirror of `own` until `letGo` is called. */
export async function heldUp(service: HttpService, ...all: readonly (string | Buffer)[]) {
  const { database, campaigns, port } = service;
  const holder = await rival(database, lockMirror, campaigns.own);
  const connections: RawConnection[] = [];
  for (const bytes of all) connections.push(await RawConnection.open(port, bytes));
  await untilWaiting(database, new Promise(() => {}));
  return { connections, letGo: holder.commit };
}

/** The bytes that `bodyIsComing` has not sent. */
export const lastBytes = goodBody.slice(-5);

export async function bodyIsComing(service: HttpService): Promise<RawConnection> {
  const bytes = requestBytes(service, { headers: { Expect: '100-continue' } });
  const connection = await RawConnection.open(service.port, bytes.subarray(0, -lastBytes.length));
  expect((await connection.response()).status).to.equal(100);
  return connection;
}
