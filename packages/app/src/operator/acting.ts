import type { Operator } from '@campaign-mirror/adapters-cli';
import type { Call } from '@campaign-mirror/adapters-cli/terminal';

/**
 * The ports of a call's commands. What they need is loaded when they are used, so that `--help` and usage errors are
 * answered at once.
 */
export function operatorOf(call: Call): Operator {
  const ports = async () => (await import('./operator-ports.ts')).operatorPorts(call);
  return {
    acting: async (run, how) => (await ports()).acting(run, how),
    administering: async (run, how) => (await ports()).administering(run, how),
    accessKey: async () => {
      const { readCommandSettings } = await import('./command-settings.ts');
      return readCommandSettings(call).settings.CAMPAIGN_MIRROR_KEY;
    },
  };
}
