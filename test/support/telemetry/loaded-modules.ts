import { registerHooks } from 'node:module';

// Loaded into a process of the service: on standard error it names each package of OpenTelemetry that is loaded, and by
// whom. But for prom-client, which takes interfaces that do nothing from its API, whether or not anything is traced.
registerHooks({
  resolve: (specifier, context, next) => {
    const by = context.parentURL ?? '';
    if (specifier.startsWith('@opentelemetry/') && !by.includes('/prom-client/')) {
      console.error(`${specifier} is loaded by ${by}`);
    }
    return next(specifier, context);
  },
});
