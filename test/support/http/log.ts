import type { AnsweredRequest, HttpLog } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { eventually } from '../eventually.ts';

interface LoggedFault {
  readonly requestId: string;
  readonly error: unknown;
  readonly because: string;
}

/** Keeps what the service tells. */
export class CapturedLog implements HttpLog {
  readonly requests: AnsweredRequest[] = [];
  readonly faults: LoggedFault[] = [];

  answered(request: AnsweredRequest): void {
    this.requests.push(request);
  }

  failed(requestId: string, error: unknown, because: string): void {
    this.faults.push({ requestId, error, because });
  }

  /** The line of a request, as soon as there is one. */
  async line(requestId: string): Promise<AnsweredRequest> {
    await eventually(`the line of ${requestId}`, () =>
      expect(this.requests.map((request) => request.requestId)).to.include(requestId),
    );
    return this.requests.find((request) => request.requestId === requestId) as AnsweredRequest;
  }

  last(): AnsweredRequest | undefined {
    return this.requests.at(-1);
  }
}
