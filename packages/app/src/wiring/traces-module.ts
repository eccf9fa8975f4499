import { ContainerModule } from 'inversify';
import type { Log } from '../logging/log.ts';
import { openTraces } from '../traces/open-traces.ts';
import { tokens } from './tokens.ts';

/** The traces, whose last spans are sent when this is unloaded: after all that makes spans. */
export const tracesModule = new ContainerModule(({ bind }) => {
  bind(tokens.traces)
    .toResolvedValue((log: Log) => openTraces(process.env, log), [tokens.log])
    .inSingletonScope()
    .onDeactivation((traces) => traces?.close());
});
