// Calls the service with the generated client: node calls.js URL KEY CAMPAIGN ADDRESS
import { client } from './hey-api/client.gen.js';
import { readDocument, setMirror } from './hey-api/index.js';

declare const process: { readonly argv: string[] };
const [baseUrl = '', key = '', campaign = '', mirror_endpoint = ''] = process.argv.slice(2);
client.setConfig({ baseUrl, auth: key });

const path = { campaign: BigInt(campaign) };
const set = await setMirror({ path, body: { mirror_endpoint } });
const clicks: bigint | undefined = set.data?.mirror.clicks;
const refused = await setMirror({ path, body: { mirror_endpoint: 'somewhere' } });
const why: string[] | undefined =
  refused.error && 'errors' in refused.error ? refused.error.errors.mirror_endpoint : undefined;
const document = await readDocument();
const title: string | undefined = document.data?.info.title;

console.log(JSON.stringify({ clicks: `${clicks}`, why, title }));
