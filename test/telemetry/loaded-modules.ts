import { registerHooks } from 'node:module';

// Loaded into a process of the service: on standard error it names each package of OpenTelemetry that is loaded, and by
// whom. Not its API, which does nothing by itself.
registerHooks({
  resolve: (specifier, context, next) => {
    if (/^@opentelemetry\/(?!api$)/.test(specifier))
      console.error(`${specifier} is loaded by ${context.parentURL ?? ''}`);
    return next(specifier, context);
  },
});
