import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Asker } from './asker.ts';
import { Tally } from './tally.ts';

/*
 * A round, where wrk is not installed or the rate of arrivals is fixed: `node own-generator.ts PLAN BEFORE PORT
 * CONNECTIONS SECONDS [RATE [bounded]]`. Without a rate each connection asks as soon as it is answered. With one, latency counts
 * from the moment at which the request was due, whether or not a connection was free then, so that a stall is seen by
 * all that arrive in it (no coordinated omission). `bounded`: these connections are all that the callers have; what
 * arrives while each of them waits for an answer is held back, counted and not sent. Ours, since of those that are installed with npm or Debian none
 * does it: wrk has no rate, and autocannon 9 sends each connection's share of a second in one burst at its beginning
 * and corrects the latencies for an interval of a millisecond, whatever the rate is.
 */
const [plan = '', before, port, connections, seconds, rate, bounded] = process.argv.slice(2);
const asker = new Asker(JSON.parse(readFileSync(plan, 'utf8')), Number(before));
/** Milliseconds: between arrivals, until their latency counts (we get warm too), and that an answer may take. */
const interval = rate ? 1000 / Number(rate) : 0;
const settling = rate ? 1000 : 0;
const timeout = 15_000;

const idle: Connection[] = [];
/** When what has arrived and found no connection was due: the first at `first`. */
const waiting: number[] = [];
let first = 0;
let open = 0;
let tally = new Tally();
/** From when on latencies count, and until when requests are made. */
let counted = 0;
let end = 0;

/** One connection with one request at a time. */
class Connection {
  readonly #socket: Socket;
  #answer = '';
  #due = 0;

  constructor() {
    const onread = { buffer: Buffer.alloc(4096), callback: this.#read.bind(this) };
    this.#socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true, onread });
    this.#socket.once('connect', () => idle.push(this));
    this.#socket.once('error', (error: NodeJS.ErrnoException) => tally.error(error.code ?? 'error'));
    this.#socket.once('close', () => tally.error('closed'));
  }

  send(due: number): void {
    open += 1;
    this.#answer = '';
    this.#due = due;
    this.#socket.write(asker.next(), 'latin1');
  }

  #read(size: number, buffer: Uint8Array): boolean {
    this.#answer += (buffer as Buffer).toString('latin1', 0, size);
    const end = this.#answer.indexOf('\r\n\r\n');
    if (end === -1) return true;
    const length = /\r\ncontent-length: ([0-9]+)/i.exec(this.#answer)?.[1];
    if (length === undefined) tally.error('an answer without a length');
    if (this.#answer.length < end + 4 + Number(length)) return true;
    const status = this.#answer.slice(9, 12);
    // A refusal is quick, and says nothing of what is carried out.
    const counts = status !== '503' && this.#due >= counted;
    tally.answer(status, counts ? performance.now() - this.#due : undefined);
    open -= 1;
    this.#free();
    return true;
  }

  #free(): void {
    const now = performance.now();
    const due = !rate && now < end ? now : waiting[first];
    if (due === undefined) return void idle.push(this);
    first += 1;
    this.send(due);
  }
}

// A Ctrl-C reaches the whole group; who started us decides.
process.on('SIGINT', () => {});
for (let count = 0; count < Number(connections); count++) new Connection();
const deadline = performance.now() + timeout;
while (idle.length < Number(connections) && performance.now() < deadline) await pause(10);

tally = new Tally();
const begun = performance.now();
counted = begun + settling;
end = counted + Number(seconds) * 1000;
if (rate) await arrive();
else for (const connection of idle.splice(0)) connection.send(begun);
await pause(Math.max(1, end - performance.now()));
const tooLate = performance.now() + timeout;
while ((open > 0 || first < waiting.length) && performance.now() < tooLate) await pause(1);
if (open > 0 || first < waiting.length) tally.error('no answer');
tally.print(asker.made);
process.exit();

async function arrive(): Promise<void> {
  for (let due = begun; due < end; ) {
    for (const now = performance.now(); due <= now && due < end; due += interval) {
      // The one that has been idle for longest: none is left alone until the service closes it.
      const connection = idle.shift();
      if (connection) connection.send(due);
      else if (bounded) tally.heldBack += 1;
      else waiting.push(due);
    }
    await pause(1);
  }
}
