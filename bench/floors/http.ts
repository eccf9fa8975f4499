import type { IncomingMessage, ServerResponse } from 'node:http';

const path = /^\/public\/v1\/mirror\/campaign\/([1-9][0-9]{0,15})\/mirror$/;

/** The campaign whose mirror is to be set. */
export function campaignIn(request: IncomingMessage): string | undefined {
  return request.method === 'POST' ? path.exec(request.url ?? '')?.[1] : undefined;
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
