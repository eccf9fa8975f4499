// Calls of the service by clients that were generated from its document: node calls.js URL KEY CAMPAIGN ADDRESS
import createClient from 'openapi-fetch';
import { client } from './hey-api/client.gen.js';
import { readDocument, setMirror } from './hey-api/index.js';
import type { paths } from './openapi-typescript.js';

declare const process: { readonly argv: string[] };
const [baseUrl = '', key = '', campaign = '', mirror_endpoint = ''] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };

const typed = createClient<paths>({ baseUrl, headers });
const route = '/public/v1/mirror/campaign/{campaign}/mirror';
const path = { campaign: Number(campaign) };
const set = await typed.POST(route, { params: { path }, body: { mirror_endpoint } });
const clicks: number | undefined = set.data?.mirror.clicks;
const refused = await typed.POST(route, { params: { path }, body: { mirror_endpoint: 'somewhere' } });
const why: string[] | undefined =
  refused.error && 'errors' in refused.error ? refused.error.errors.mirror_endpoint : undefined;
const document = await typed.GET('/public/v1/openapi.json');
const version: string | undefined = document.data?.info.version;

client.setConfig({ baseUrl, auth: key });
const whole = await setMirror({ path: { campaign: BigInt(campaign) }, body: { mirror_endpoint } });
const wholeClicks: bigint | undefined = whole.data?.mirror.clicks;
const read = await readDocument();
const title: string | undefined = read.data?.info.title;

console.log(JSON.stringify({ clicks, why, version, wholeClicks: `${wholeClicks}`, title }));
