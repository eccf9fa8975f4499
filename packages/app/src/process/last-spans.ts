import { within } from '@campaign-mirror/adapters-persistence/sql';
import { ProxyTracerProvider, trace } from '@opentelemetry/api';

/** How long the end waits for a collector, in milliseconds. */
const timeout = 2_000;

/** Sends the spans that wait to be sent, in bounded time, where `--import` loaded an SDK. Never rejects. */
export async function sendLastSpans(): Promise<void> {
  const provider = trace.getTracerProvider();
  const sdk: { shutdown?: () => Promise<void> } & object =
    provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
  await within(
    timeout,
    Promise.resolve(sdk.shutdown?.()).catch(() => {}),
  );
}
