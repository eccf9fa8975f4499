import type { Targets } from './load.ts';

/** A prime, no factor of the number of campaigns: the requests go to each of them in turn, far from the one before. */
const stride = 7_919;
const digits = 10;

/** Requests for one campaign after the other, each with an address that no other request has. */
export class Requests {
  readonly #made: Buffer[] = [];
  readonly #targets: Targets;
  #count = 0;

  /** They are put together here; afterwards only the number in the address is written. */
  constructor(targets: Targets) {
    this.#targets = targets;
    for (let at = 0; at < targets.campaigns; at++) this.#made.push(this.#request(at + 1));
  }

  /** `mark` is what the answer has to hold. The bytes are good until the campaign's turn comes again. */
  next(): { bytes: Buffer; mark: string } {
    const count = this.#count++;
    const bytes = this.#made[(count * stride) % this.#made.length] as Buffer;
    const mark = `${String(count).padStart(digits, '0')}"`;
    bytes.write(mark, bytes.length - mark.length - 1, 'latin1');
    return { bytes, mark };
  }

  #request(campaign: number): Buffer {
    const { keys } = this.#targets;
    const body = `{"mirror_endpoint":"https://mirror.example/landing?click={click_id}&n=${'0'.repeat(digits)}"}`;
    const lines = [
      `POST /public/v1/mirror/campaign/${campaign}/mirror HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: Bearer ${keys[campaign % keys.length]}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  }
}
