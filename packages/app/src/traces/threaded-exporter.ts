import { Worker } from 'node:worker_threads';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Fault, Sent, ToSend } from './span-sender.ts';

/** Of the thread, in MB: the SDK lets 30 batches be under way at once, each of 512 spans by default. */
const resourceLimits = { maxOldGenerationSizeMb: 64 };

type Done = (result: ExportResult) => void;

/**
 * Sends spans from a thread of its own. A service that is an HTTP client as well is a slower HTTP server: V8 makes of
 * the code that both share something that fits both (PERFORMANCE.md, what was tried).
 */
export class ThreadedExporter implements SpanExporter {
  readonly #script: URL;
  readonly #underWay = new Map<number, Done>();
  #thread: Worker | undefined;
  #number = 0;
  #waiting: (() => void)[] = [];

  /** `script`: what the thread runs. */
  constructor(script = new URL('span-sender.ts', import.meta.url)) {
    this.#script = script;
  }

  export(spans: ReadableSpan[], done: Done): void {
    const bytes = ProtobufTraceSerializer.serializeRequest(spans);
    if (!bytes) {
      done(failed(new Error('the spans could not be written as OTLP')));
      return;
    }
    const toSend: ToSend = { number: ++this.#number, bytes };
    this.#underWay.set(toSend.number, done);
    this.#thread ??= this.#begin();
    this.#thread.postMessage(toSend);
  }

  /** Resolves when nothing is under way. */
  async forceFlush(): Promise<void> {
    if (this.#underWay.size === 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async shutdown(): Promise<void> {
    await this.forceFlush();
    await this.#thread?.terminate();
  }

  #begin(): Worker {
    const thread = new Worker(this.#script, { resourceLimits });
    let fault = new Error('the thread that sends spans has ended');
    thread
      .on('message', ({ number, fault }: Sent) => this.#over(number, fault && asError(fault)))
      .on('error', (error: Error) => {
        fault = error;
      })
      // The next batch begins another one.
      .on('exit', () => {
        this.#thread = undefined;
        for (const number of [...this.#underWay.keys()]) this.#over(number, fault);
      })
      .unref();
    return thread;
  }

  #over(number: number, error: Error | undefined): void {
    const done = this.#underWay.get(number);
    this.#underWay.delete(number);
    done?.(error ? failed(error) : { code: ExportResultCode.SUCCESS });
    if (this.#underWay.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function asError({ name, message, code }: Fault): Error {
  return Object.assign(new Error(message), { name, code });
}

function failed(error: Error): ExportResult {
  return { code: ExportResultCode.FAILED, error };
}
