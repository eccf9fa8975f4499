import { ContainerModule } from 'inversify';
import { issuerLog } from '../identity/issuer-log.ts';
import { openIdentity } from '../identity/open-identity.ts';
import { issuerCounts } from '../metrics/issuer-counts.ts';
import { type Given, tokens } from './tokens.ts';

/** How callers are known: by access keys, by tokens, or by either. */
export const identityModule = ({ settings, log }: Given) =>
  new ContainerModule(({ bind }) => {
    bind(tokens.openIdentity).toResolvedValue(
      async ({ identity }, meters) => {
        const lines = issuerLog(log);
        const counts = issuerCounts(meters);
        const opened = await openIdentity(settings, identity, {
          fetched: (keys) => {
            lines.fetched(keys);
            counts.fetched();
          },
          failed: (error) => {
            lines.failed(error);
            counts.failed();
          },
        });
        if (opened.keysAge) counts.begin(opened.keysAge);
        return opened;
      },
      [tokens.hotPath, tokens.meters],
    );
    bind(tokens.identity).toResolvedValue(
      ({ identity }, traces) => traces?.identity(identity) ?? identity,
      [tokens.openIdentity, tokens.traces],
    );
  });
