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
A demonstration set was created. Its key expires in 7 days and is shown only here. This call answers 200:

${call(withMirror, good)}

403, because the campaign belongs to another owner (${foreign}), is the default one (${isDefault}), or has no mirror (${withoutMirror}):

${call(foreign, good)}

404, because the campaign does not exist:

${call(999_999_999, good)}

422, because that is not an address:

${call(withMirror, 'somewhere')}

./campaign-mirror demo remove   removes the demonstration set

`;
}
