import { EventEmitter } from 'node:events';
import type { AnsweredRequest, HttpLog } from '@campaign-mirror/adapters-http';

export interface LoggedFault {
  readonly requestId: string;
  readonly error: unknown;
  readonly because: string;
}

/** Keeps what the service tells. */
export class CapturedLog implements HttpLog {
  readonly requests: AnsweredRequest[] = [];
  readonly faults: LoggedFault[] = [];
  readonly #news = new EventEmitter();

  answered(request: AnsweredRequest): void {
    this.requests.push(request);
    this.#news.emit('news');
  }

  failed(requestId: string, error: unknown, because: string): void {
    this.faults.push({ requestId, error, because });
  }

  /** The line of a request, as soon as there is one. */
  async line(requestId: string): Promise<AnsweredRequest> {
    for (;;) {
      const found = this.requests.find((request) => request.requestId === requestId);
      if (found) return found;
      await new Promise((resolve) => this.#news.once('news', resolve));
    }
  }

  last(): AnsweredRequest | undefined {
    return this.requests.at(-1);
  }
}
