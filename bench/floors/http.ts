import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const path = /^\/public\/v1\/mirror\/campaign\/([1-9][0-9]{0,15})\/mirror$/;

/** Listens on 127.0.0.1, at PORT. */
export function serve(answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>): void {
  createServer((request, response) => {
    answer(request, response).catch((error) => send(response, 500, String(error)));
  }).listen({
    port: Number(process.env.PORT),
    host: '127.0.0.1',
    reusePort: process.env.REUSE_PORT === 'on',
  });
  process.once('SIGTERM', () => process.exit());
}

/** The campaign whose mirror is to be set. */
export function campaignIn(request: IncomingMessage): string | undefined {
  return request.method === 'POST' ? path.exec(request.url ?? '')?.[1] : undefined;
}

export function keyIn(request: IncomingMessage): string {
  return request.headers.authorization?.slice('Bearer '.length) ?? '';
}

export function read(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    request.setEncoding('utf8');
    request
      .on('data', (part: string) => {
        text += part;
      })
      .on('end', () => resolve(text))
      .on('error', reject);
  });
}

export function send(response: ServerResponse, status: number, message: string): void {
  sendBody(response, status, JSON.stringify({ message }));
}

export function sendBody(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}
