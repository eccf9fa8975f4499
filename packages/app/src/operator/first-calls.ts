import type { Demonstration } from './demonstration.ts';

/** Calls for a newcomer to try, with their answers. `base` is the address of the service: `http://host:port`. */
export function firstCalls(
  { key, withMirror, withoutMirror, isDefault, foreign }: Demonstration,
  base: string,
): string {
  const call = (campaign: number, address: string) =>
    `curl -sS -X POST ${base}/public/v1/mirror/campaign/${campaign}/mirror -H 'Authorization: Bearer ${key}' ` +
    `-H 'Content-Type: application/json' -d '{"mirror_endpoint":"${address}"}'`;
  const good = 'https://second.example/?click={click_id}';
  return `
A demonstration set was made. Its key lives for 7 days and is shown this once. This call answers 200:

${call(withMirror, good)}

403, since it is another owner's campaign (${foreign}), the default campaign (${isDefault}), or has no mirror (${withoutMirror}):

${call(foreign, good)}

404, since there is no such campaign:

${call(999_999_999, good)}

422, since that is no address:

${call(withMirror, 'somewhere')}

./campaign-mirror demo remove   takes the demonstration set away

`;
}
