import { EventEmitter, on } from 'node:events';
import type { RecordedAct, RecordedCall, RecordedRequest, StoredMirror } from '../record.ts';

export class Recorder {
  readonly calls: RecordedCall[] = [];
  readonly acts: RecordedAct[] = [];
  readonly operators: RecordedRequest[] = [];
  readonly deleted: StoredMirror[] = [];
  readonly #added = new EventEmitter<{ call: [RecordedCall] }>();

  add(call: RecordedCall): void {
    this.calls.push(call);
    this.#added.emit('call', call);
  }

  /** Resolves with the first call from now on for which `isIt` returns true. */
  async next(isIt: (call: RecordedCall) => boolean): Promise<RecordedCall> {
    for await (const [call] of on(this.#added, 'call')) if (isIt(call)) return call;
    throw new Error('nobody calls any more');
  }

  async updates(count: number): Promise<void> {
    let seen = 0;
    await this.next(({ status }) => status === 200 && ++seen >= count);
  }
}
