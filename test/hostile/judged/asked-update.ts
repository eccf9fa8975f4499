import type { StrictRequest } from './requests-in.ts';

export interface Update {
  readonly campaign: number;
  readonly address: string;
}

/** What a request with this key asks to be set, if it asks for that: read from its bytes alone. */
export function askedUpdate(
  { method, target, headers, body }: StrictRequest,
  key: string,
): Update | undefined {
  const [, campaign] =
    /^(?:https?:\/\/[^/?#]*)?\/public\/v1\/mirror\/campaign\/([1-9]\d{0,15})\/mirror(?:\?.*)?$/i.exec(
      target,
    ) ?? [];
  const credentials = headers.filter(([name]) => name === 'authorization').map(([, value]) => value);
  const isOurs = credentials.length === 1 && credentials[0]?.replace(/^bearer +/i, '') === key;
  if (method !== 'POST' || campaign === undefined || !isOurs) return undefined;
  try {
    const said = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const address = said?.mirror_endpoint;
    return typeof address === 'string' ? { campaign: Number(campaign), address } : undefined;
  } catch {
    return undefined;
  }
}
