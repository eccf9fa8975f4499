import { ContainerModule } from 'inversify';
import { openTraces } from '../traces/open-traces.ts';
import type { Given } from './given.ts';
import { tokens } from './tokens.ts';

/** The traces, whose last spans are sent when this is unloaded: after everything that makes spans. */
export const tracesModule = ({ log }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.traces)
      .toResolvedValue(() => openTraces(process.env, log), [])
      .onDeactivation((traces) => traces?.close());
  });
