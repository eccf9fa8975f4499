import type { AnsweredRequest, HttpLog } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { eventually } from '../promises.ts';

export class CapturedLog implements HttpLog {
  readonly requests: AnsweredRequest[] = [];
  readonly faults: { requestId: string; error: unknown; because: string }[] = [];

  answered(request: AnsweredRequest): void {
    this.requests.push(request);
  }

  failed(requestId: string, error: unknown, because: string): void {
    this.faults.push({ requestId, error, because });
  }

  /** The only line of a request, as soon as it is there. */
  line(requestId: unknown): Promise<AnsweredRequest> {
    return eventually(`the line of ${requestId}`, () => {
      const lines = this.requests.filter((request) => request.requestId === requestId);
      expect(lines).to.have.length(1);
      return lines[0] as AnsweredRequest;
    });
  }
}
