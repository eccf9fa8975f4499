import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const base = (process.env.CAMPAIGN_MIRROR_URL?.trim() || 'http://127.0.0.1:3000').replace(/\/+$/, '');
const key = process.env.CAMPAIGN_MIRROR_KEY?.trim();

async function attempt(campaign, address, request) {
  try {
    const response = await fetch(`${base}/public/v1/mirror/campaign/${campaign}/mirror`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'X-Request-Id': request,
      },
      body: JSON.stringify({ mirror_endpoint: address }),
      redirect: 'manual',
      signal: AbortSignal.timeout(40_000),
    });
    const wait = Number(response.headers.get('Retry-After')) || 1;
    return { status: response.status, text: await response.text(), wait };
  } catch (error) {
    return { status: 0, text: error.cause?.message ?? error.message, wait: 1 };
  }
}

/** Sets the mirror of a campaign. Throws when it is refused, or when four attempts came to nothing. */
export async function setMirror(campaign, address) {
  if (!key) throw new Error('CAMPAIGN_MIRROR_KEY is not set');
  // A message about a header that cannot be sent would show the key.
  if (/[^!-~]/.test(key))
    throw new Error('CAMPAIGN_MIRROR_KEY is no key: it has white space or other characters in it');
  const request = randomUUID();
  for (let attempts = 1; ; attempts++) {
    const { status, text, wait } = await attempt(campaign, address, request);
    if (status === 200) return JSON.parse(text).mirror;
    const again = [0, 408, 429, 503].includes(status) && wait <= 60 && attempts < 4;
    if (!again) throw new Error(`${status} ${text} (request ${request})`);
    await sleep((wait + Math.random() * attempts) * 1000);
  }
}

try {
  if (process.argv.length !== 4)
    throw new Error('usage: CAMPAIGN_MIRROR_KEY=cm_... node set-mirror.mjs CAMPAIGN ADDRESS');
  console.log(await setMirror(process.argv[2], process.argv[3]));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
