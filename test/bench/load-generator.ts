import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Load, Measured, Targets } from './load.ts';
import { cpuOf, cpuOfServer } from './process-figures.ts';
import { Requests } from './requests.ts';

/*
 * Cheap, since it shares a core with PostgreSQL. Measured against a Node server that only echoes, CPU microseconds
 * a request at 64 connections (at 1): this one 10 (26), each answer looked at; autocannon 9 with an address of its
 * own in each request 17 (44), with requests made beforehand, which come again and again, 11 (34).
 */

/** Time at the beginning of a round that is not measured: connections are made, ours and the service's. */
const settling = 500;
/** An answer may take this long, in milliseconds. */
const patience = 15_000;

/** The round that goes on. */
class Round {
  readonly latencies: number[] = [];
  measuring = false;
  ending = false;
  set = 0;
  readonly others: Record<string, number> = {};

  other(what: string): void {
    this.others[what] = (this.others[what] ?? 0) + 1;
  }
}

/** One connection with one request at a time. Resolves `over` when the round ends and its last answer is there. */
class Connection {
  readonly over: Promise<void>;
  readonly #done: () => void;
  readonly #round: Round;
  readonly #requests: Requests;
  readonly #socket: Socket;
  #answer = '';
  #expected = '';
  #sentAt = 0;

  constructor(port: number, round: Round, requests: Requests) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.#done = resolve;
    this.#round = round;
    this.#requests = requests;
    const onread = { buffer: Buffer.alloc(4096), callback: this.#read.bind(this) };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.#socket.once('connect', () => this.#send());
    this.#socket.once('error', (error: NodeJS.ErrnoException) => this.#fail(error.code ?? 'error'));
    this.#socket.once('close', () => this.#fail('closed'));
  }

  giveUp(): void {
    this.#fail('no answer');
  }

  #send(): void {
    const { bytes, mark } = this.#requests.next();
    this.#expected = mark;
    this.#answer = '';
    this.#sentAt = performance.now();
    this.#socket.write(bytes);
  }

  #read(size: number, buffer: Uint8Array): boolean {
    this.#answer += (buffer as Buffer).toString('latin1', 0, size);
    const end = this.#answer.indexOf('\r\n\r\n');
    if (end === -1) return true;
    const length = /\r\ncontent-length: ([0-9]+)/i.exec(this.#answer)?.[1];
    if (length === undefined) this.#fail('an answer without a length');
    else if (this.#answer.length >= end + 4 + Number(length)) this.#answered();
    return true;
  }

  #answered(): void {
    const round = this.#round;
    const status = this.#answer.slice(9, 12);
    if (status !== '200') round.other(status);
    else if (!this.#answer.includes(this.#expected)) round.other('200 for another address');
    else round.set += 1;
    if (round.measuring) round.latencies.push(performance.now() - this.#sentAt);
    if (round.ending) this.#end();
    else this.#send();
  }

  #fail(what: string): void {
    if (this.#end()) this.#round.other(what);
  }

  #ended = false;
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#socket.destroy();
    this.#done();
    return true;
  }
}

async function carryOut(load: Load, requests: Requests): Promise<Measured> {
  const round = new Round();
  const connections = Array.from(
    { length: load.connections },
    () => new Connection(load.port, round, requests),
  );
  await pause(settling);
  const before = figures(load);
  round.measuring = true;
  await pause(load.seconds * 1000);
  round.measuring = false;
  const after = figures(load);
  round.ending = true;

  const tooLate = setTimeout(() => {
    for (const connection of connections) connection.giveUp();
  }, patience);
  for (const connection of connections) await connection.over;
  clearTimeout(tooLate);
  return measured(round, before, after);
}

interface Figures {
  readonly at: number;
  readonly service: number | undefined;
  readonly postgres: number | undefined;
  readonly generator: number;
}

function figures({ service, postmaster }: Load): Figures {
  const { user, system } = process.cpuUsage();
  return {
    at: performance.now(),
    service: cpuOf(service),
    postgres: postmaster === undefined ? undefined : cpuOfServer(postmaster),
    generator: user + system,
  };
}

function measured({ latencies, set, others }: Round, before: Figures, after: Figures): Measured {
  const requests = latencies.length;
  latencies.sort((a, b) => a - b);
  const each = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined || requests === 0 ? undefined : (to - from) / requests;
  const quantile = (part: number) => latencies[Math.ceil(part * requests) - 1] ?? Number.NaN;
  return {
    rate: (requests * 1000) / (after.at - before.at),
    p50: quantile(0.5),
    p99: quantile(0.99),
    cpu: {
      service: each(before.service, after.service),
      postgres: each(before.postgres, after.postgres),
      generator: each(before.generator, after.generator) ?? Number.NaN,
    },
    set,
    others,
  };
}

let requests: Requests | undefined;
process.on('message', async (message: Targets | Load) => {
  if ('keys' in message) requests = new Requests(message);
  else if (requests) process.send?.(await carryOut(message, requests));
});
// A Ctrl-C reaches the whole group; who started us decides.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
