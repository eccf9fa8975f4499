import { expect } from 'chai';
import { lockMirror, rival, untilWaiting } from '../database/rival.ts';
import { RawConnection, type RawResponse } from './connection.ts';
import type { HttpService } from './service.ts';

/** A request, as far as it differs from one that sets the mirror of the caller's own campaign. */
export interface Asking {
  readonly method?: string;
  readonly campaign?: number | string;
  readonly target?: string;
  /** A list for a header that is sent several times; undefined for one that is left out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string | Buffer | undefined;
}

export const newAddress = 'https://example.com/after';
export const bodyWith = (endpoint: unknown) => JSON.stringify({ mirror_endpoint: endpoint });
export const goodBody = bodyWith(newAddress);

export function pathOf(campaign: number | string): string {
  return `/public/v1/mirror/campaign/${campaign}/mirror`;
}

/** The request as bytes. `headers` are latin1 text. */
export function requestBytes(service: HttpService, asking: Asking = {}): Buffer {
  const { method = 'POST', campaign = service.campaigns.own, target = pathOf(campaign) } = asking;
  const body = Buffer.from('body' in asking ? (asking.body ?? '') : goodBody);
  const headers: Asking['headers'] = {
    Host: 'mirrors.example.com',
    Authorization: `Bearer ${service.keys.valid}`,
    'Content-Type': 'application/json',
    ...('body' in asking && asking.body === undefined ? {} : { 'Content-Length': String(body.length) }),
    ...asking.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map((one) => `${name}: ${one}\r\n`),
  );
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

/** The same as `requestBytes`, its body in chunks. */
export function chunkedBytes(service: HttpService, chunks: readonly string[], asking: Asking = {}): Buffer {
  const headers = { 'Transfer-Encoding': 'chunked', ...asking.headers };
  const head = requestBytes(service, { ...asking, headers, body: undefined });
  const pieces = [...chunks, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return Buffer.concat([head, Buffer.from(pieces.join(''))]);
}

export async function exchange(
  service: Pick<HttpService, 'port'>,
  bytes: string | Buffer,
  { toHead = false } = {},
): Promise<RawResponse> {
  const connection = await RawConnection.open(service.port);
  try {
    void connection.send(bytes);
    return await connection.response({ toHead });
  } finally {
    await connection.reset();
  }
}

export function ask(service: HttpService, asking: Asking = {}): Promise<RawResponse> {
  return exchange(service, requestBytes(service, asking), { toHead: asking.method === 'HEAD' });
}

export type Given = (service: HttpService) => Asking;
/** The connection shows that it can be used again, and the service that it still serves. */
export async function servesOn(service: HttpService, connection: RawConnection): Promise<void> {
  void connection.send(requestBytes(service));
  expect((await connection.response()).status).to.equal(200);
}

/** Connections with these bytes, in which the first requests wait for the mirror of `own` until it is let go. */
export async function heldUp(service: HttpService, ...all: readonly (string | Buffer)[]) {
  const { database, campaigns, port } = service;
  const holder = await rival(database, lockMirror, campaigns.own);
  const connections: RawConnection[] = [];
  for (const bytes of all) connections.push(await RawConnection.open(port, bytes));
  await untilWaiting(database, new Promise(() => {}));
  return { connections, letGo: holder.commit };
}

/** What `bodyIsComing` still lacks. */
export const lastBytes = goodBody.slice(-5);

export async function bodyIsComing(service: HttpService): Promise<RawConnection> {
  const bytes = requestBytes(service, { headers: { Expect: '100-continue' } });
  const connection = await RawConnection.open(service.port, bytes.subarray(0, -lastBytes.length));
  expect((await connection.response()).status).to.equal(100);
  return connection;
}
