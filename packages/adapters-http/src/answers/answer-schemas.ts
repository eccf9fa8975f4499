import { longestAddress } from '@campaign-mirror/domain';
import * as v from 'valibot';

const identifier = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(Number.MAX_SAFE_INTEGER));
const timestamp = v.pipe(
  v.string(),
  v.regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$/),
);

/** The mirror as the interface shows it: these keys, in this order (contract: the mirror). */
export const shownMirror = v.object({
  id: v.pipe(identifier, v.description('Identifier of the mirror.')),
  campaign_id: v.pipe(identifier, v.description('Identifier of the campaign that it belongs to.')),
  target_url: v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(longestAddress),
    v.description('The address, exactly as it was sent.'),
  ),
  clicks: v.pipe(v.number(), v.integer(), v.minValue(0), v.description('How often it was clicked.')),
  updated_externally: v.pipe(v.boolean(), v.description('True after an update by this interface.')),
  updated_externally_at: v.pipe(
    timestamp,
    v.description('When that was: equal to `updated_at` in the answer to an update.'),
  ),
  created_at: v.pipe(timestamp, v.description('When the mirror was created.')),
  updated_at: v.pipe(
    timestamp,
    v.description('When it was changed last; each change is later than the one before.'),
  ),
});

export const mirrorAnswer = v.object({ mirror: shownMirror });

/** What any answer but 200 and 422 says (contract: answers). */
export const errorAnswer = v.object({ message: v.pipe(v.string(), v.minLength(1)) });

/** The same for a body that was read and is not acceptable. */
export const validationAnswer = v.object({
  message: v.pipe(v.string(), v.minLength(1)),
  errors: v.object({
    mirror_endpoint: v.pipe(
      v.array(v.string()),
      v.minLength(1),
      v.maxLength(1),
      v.description('One message: the first that applies.'),
    ),
  }),
});
