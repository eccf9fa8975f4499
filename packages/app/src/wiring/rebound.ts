import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { Container } from 'inversify';
import * as v from 'valibot';
import { type BoundParts, tokens } from './tokens.ts';

const method = v.function();
const limiter = v.optional(
  v.object({ rate: v.object({ limit: v.number(), seconds: v.number() }), count: method }),
);

/** What each part must have: without it, every call would be 500. */
const shapes = {
  campaignRepository: v.object({ find: method, setMirror: method }),
  identity: v.object({ whoIs: method, remembered: v.optional(method) }),
  credentialForm: v.object({
    // A name of a header (RFC 9110, section 5.1).
    credentialHeader: v.optional(v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]+$/))),
    isWellFormed: v.optional(method),
  }),
  callLimiter: limiter,
  failedKeyLimiter: limiter,
  middleware: v.array(method),
  metrics: v.object({ getMetricsAsArray: method }),
} satisfies Readonly<Record<keyof BoundParts, v.GenericSchema>>;

/** The parts that are bound. @throws ClearError if a module of somebody else has bound what does not fit */
export async function boundParts(container: Container): Promise<BoundParts> {
  const parts: Partial<Record<keyof BoundParts, unknown>> = {};
  for (const name of Object.keys(shapes) as (keyof BoundParts)[]) {
    parts[name] = await container.getAsync<unknown>(tokens[name]);
    const [issue] = v.safeParse(shapes[name], parts[name]).issues ?? [];
    if (!issue) continue;
    const path = ['tokens', name, v.getDotPath(issue) ?? []].flat().join('.');
    throw new ClearError(`${path} does not fit: ${issue.message}`);
  }
  return parts as BoundParts;
}
