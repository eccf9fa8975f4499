import { type Plan, requestEnd, requestHead } from './plan.ts';

/** The plan as a Lua file that returns it. JSON's strings are Lua's too, as long as all is ASCII. */
export function asLua({ kinds, order }: Plan): string {
  const rows = kinds.map(
    ({ expected, firstCampaign, campaigns, stride, tails }) =>
      `{ expected = ${expected}, first = ${firstCampaign}, campaigns = ${campaigns}, stride = ${stride},
  tails = {${tails.map((tail) => JSON.stringify(tail)).join(',\n')}} }`,
  );
  return `return {
  head = ${JSON.stringify(requestHead)}, ending = ${JSON.stringify(requestEnd)},
  order = {${order.map((place) => place + 1)}}, kinds = {${rows.join(',\n')}} }\n`;
}
