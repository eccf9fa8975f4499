import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from 'd3-array';
import type { Answers } from './generator.ts';
import { numbersBefore, type Plan } from './plan.ts';

/*
 * A round at a fixed rate of arrivals, which wrk does not have: `node arrivals.ts PLAN BEFORE PORT CONNECTIONS SECONDS
 * RATE`. What arrives while each connection waits for an answer is held back by its caller, counted and not sent.
 */
const [file = '', before, port, connections, seconds, rate] = process.argv.slice(2);
const { head, middle, keys, rest, end, campaigns, stride }: Plan = JSON.parse(readFileSync(file, 'utf8'));
/** Milliseconds that an answer may take. */
const timeout = 15_000;

let number = numbersBefore + Number(before);
function nextRequest(): string {
  number += 1;
  const campaign = 1 + ((number * stride) % campaigns);
  return head + campaign + middle + keys[campaign % keys.length] + rest + number + end;
}

const answered: Record<string, number> = {};
const errors: Record<string, number> = {};
const latencies: number[] = [];
const count = (counts: Record<string, number>, what: string) => {
  counts[what] = (counts[what] ?? 0) + 1;
};

const idle: Connection[] = [];
let open = 0;
let heldBack = 0;

/** One connection with one request at a time. */
class Connection {
  readonly #socket: Socket;
  #answer = '';
  #began = 0;

  constructor() {
    const onread = { buffer: Buffer.alloc(4096), callback: this.#read.bind(this) };
    this.#socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true, onread });
    this.#socket.once('connect', () => idle.push(this));
    this.#socket.once('error', (error: NodeJS.ErrnoException) => count(errors, error.code ?? 'error'));
    this.#socket.once('close', () => count(errors, 'closed'));
  }

  send(began: number): void {
    open += 1;
    this.#answer = '';
    this.#began = began;
    this.#socket.write(nextRequest(), 'latin1');
  }

  #read(size: number, buffer: Uint8Array): boolean {
    this.#answer += (buffer as Buffer).toString('latin1', 0, size);
    const headEnd = this.#answer.indexOf('\r\n\r\n');
    const length = Number(/\r\ncontent-length: ([0-9]+)/i.exec(this.#answer)?.[1]);
    if (headEnd === -1 || this.#answer.length < headEnd + 4 + length) return true;
    const status = this.#answer.slice(9, 12);
    count(answered, status);
    const now = performance.now();
    // A refusal says nothing of what is carried out.
    if (status !== '503') latencies.push(now - this.#began);
    open -= 1;
    idle.push(this);
    return true;
  }
}

// A Ctrl-C reaches the whole group; who started us decides.
process.on('SIGINT', () => {});
for (let made = 0; made < Number(connections); made++) new Connection();
const deadline = performance.now() + timeout;
while (idle.length < Number(connections) && performance.now() < deadline) await pause(10);

const begun = performance.now();
await arrive(1000 / Number(rate));
const tooLate = performance.now() + timeout;
while (open > 0 && performance.now() < tooLate) await pause(1);
if (open > 0) count(errors, 'no answer');
printAnswers();
process.exit();

/** `interval` in milliseconds. */
async function arrive(interval: number): Promise<void> {
  const until = begun + Number(seconds) * 1000;
  for (let due = begun; due < until; await pause(1)) {
    for (const now = performance.now(); due <= now && due < until; due += interval) {
      // The one that has been idle for longest: none is left alone until the service closes it.
      const connection = idle.shift();
      if (connection) connection.send(due);
      else heldBack += 1;
    }
  }
}

function printAnswers(): void {
  const answers: Answers = {
    requests: Object.values(answered).reduce((sum, count) => sum + count, 0),
    seconds: (performance.now() - begun) / 1000,
    p99: quantile(latencies, 0.99) ?? 0,
    answered,
    errors,
    heldBack,
  };
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
