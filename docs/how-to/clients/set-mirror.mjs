import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const trimmed = (text = '') => text.replace(/^[ \t-\r]+|[ \t-\r]+$/g, '');
const base = trimmed(process.env.CAMPAIGN_MIRROR_URL).replace(/\/+$/, '') || 'http://127.0.0.1:3000';
const key = trimmed(process.env.CAMPAIGN_MIRROR_KEY);
const match = trimmed(process.env.CAMPAIGN_MIRROR_IF_MATCH);

async function attempt(campaign, address, request) {
  try {
    const response = await fetch(`${base}/public/v1/mirror/campaign/${campaign}/mirror`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'X-Request-Id': request,
        ...(match && { 'If-Match': match }),
      },
      body: JSON.stringify({ mirror_endpoint: address }),
      redirect: 'manual',
      signal: AbortSignal.timeout(40_000),
    });
    const wait = response.headers.get('Retry-After') ?? '';
    const { status } = response;
    // A proxy that compresses answers may change the tag, such as to W/"18" or "18-gzip".
    const [, tag] = /"([0-9]+)[-A-Za-z]*"$/.exec(response.headers.get('ETag') ?? '') ?? [];
    if (match && tag) console.error(`ETag: "${tag}"`);
    const again = [408, 429, 503].includes(status);
    const text = trimmed(await response.text());
    return { status, text, again, wait: /^\d+$/.test(wait) ? Number(wait) : 1 };
  } catch (error) {
    const { code = '', message } = error.cause ?? {};
    // No server, no address for its name, a timeout, or a broken connection. Other errors are permanent.
    const again =
      error.name === 'TimeoutError' || /^E(?!RR_)|^ERR_SSL_|^UND_ERR_(SOCKET|.*TIMEOUT)/.test(code);
    return { status: 0, text: message || code || error.message, again, wait: 1 };
  }
}

/** Sets the mirror of a campaign. Throws when it is refused, or when four attempts came to nothing. */
export async function setMirror(campaign, address) {
  if (!key) throw new Error('CAMPAIGN_MIRROR_KEY is not set');
  // An error message about an invalid header would show the key.
  if (/[^!-~]/.test(key))
    throw new Error('CAMPAIGN_MIRROR_KEY is no key: it has white space or other characters in it');
  if (!/^https?:\/\/[\w.~%[\]-][\w.~:/%[\]-]*$/.test(base))
    throw new Error('CAMPAIGN_MIRROR_URL must be like https://mirror.example.com');
  if (!/^[1-9][0-9]*$/.test(campaign))
    throw new Error('the campaign must be a number: digits only, without a leading zero');
  // Node replaces bytes that are not UTF-8 with U+FFFD.
  if (/[\0-\x1f\x7f\ufffd]/.test(address))
    throw new Error('the address has control characters in it, such as a CR at its end, or is not UTF-8');
  if (match && !/^(\*|"[0-9]+")$/.test(match))
    throw new Error('CAMPAIGN_MIRROR_IF_MATCH must be * or a number in quotes, such as "17"');
  const request = randomUUID();
  for (let attempts = 1; ; attempts++) {
    const { status, text, again, wait } = await attempt(campaign, address, request);
    if (status === 200 && /^\{"mirror":\{.*\}\}$/s.test(text)) return JSON.parse(text).mirror;
    if (status === 412 && /^\{"message":"[^"]*","mirror":\{.*\}\}$/s.test(text)) {
      const { mirror } = JSON.parse(text);
      if (mirror.target_url === address) {
        console.error('already set: the mirror has this address, perhaps by an earlier attempt');
        return mirror;
      }
    }
    if (!again || wait > 60 || attempts === 4)
      throw Object.assign(new Error(`${status} ${text} (request ${request})`), { status });
    await sleep((wait + Math.random() * attempts) * 1000);
  }
}

try {
  const [campaign, address, ...more] = process.argv.slice(2);
  if (address === undefined || more.length > 0)
    throw new Error('usage: CAMPAIGN_MIRROR_KEY=cm_... node set-mirror.mjs CAMPAIGN ADDRESS');
  console.log(JSON.stringify(await setMirror(campaign, address)));
} catch (error) {
  console.error(error.message);
  process.exitCode = error.status === 412 ? 2 : 1;
}
