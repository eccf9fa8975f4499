import { RawConnection } from './connection.ts';
import type { RawResponse } from './message.ts';
import type { HttpService } from './service.ts';

/** A request, as far as it differs from one that sets the mirror of the caller's own campaign. */
export interface Asking {
  readonly method?: string;
  /** The campaign, as it is to stand in the path. */
  readonly campaign?: number | string;
  readonly target?: string;
  /** Such as `HTTP/1.1`. */
  readonly version?: string;
  /** A list for a header that is sent several times; undefined for one that is left out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string | Buffer | undefined;
}

export const newAddress = 'https://example.com/after';
export const goodBody = JSON.stringify({ mirror_endpoint: newAddress });

export function pathOf(campaign: number | string): string {
  return `/public/v1/mirror/campaign/${campaign}/mirror`;
}

/** The request as bytes. `headers` are latin1 text. */
export function requestBytes(service: HttpService, asking: Asking = {}): Buffer {
  const { method = 'POST', campaign = service.campaigns.own, version = 'HTTP/1.1' } = asking;
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
  const target = asking.target ?? pathOf(campaign);
  const head = `${method} ${target} ${version}\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

/** The same as `requestBytes`, its body in chunks. */
export function chunkedBytes(
  service: HttpService,
  chunks: readonly (string | Buffer)[],
  asking: Asking = {},
) {
  const headers = { 'Transfer-Encoding': 'chunked', ...asking.headers };
  const head = requestBytes(service, { ...asking, headers, body: undefined });
  const pieces = chunks.flatMap((chunk) => {
    const bytes = Buffer.from(chunk);
    return [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')];
  });
  return Buffer.concat([head, ...pieces, Buffer.from('0\r\n\r\n')]);
}

/** Sends bytes on a connection of their own and resolves with the first answer. */
export async function exchange(
  service: HttpService,
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

/** A request with a body that sets this value as the address. */
export function askToSet(service: HttpService, endpoint: unknown): Promise<RawResponse> {
  return ask(service, { body: JSON.stringify({ mirror_endpoint: endpoint }) });
}

/** The connection shows that it can be used again, and the service that it still serves. */
export async function servesOn(service: HttpService, connection: RawConnection): Promise<void> {
  void connection.send(requestBytes(service));
  const { status } = await connection.response();
  if (status !== 200) throw new Error(`the connection is used again, and the answer is ${status}`);
}
