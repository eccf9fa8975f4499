/** The beginning of every http or https URL with a host; the text states the other rules. */
export const addressPattern = '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#\\\\\\s][^\\\\\\s]*$';

export const addressDescription =
  `The address, stored and returned exactly as it is sent: an absolute \`http\` or \`https\` URL of at most
2048 Unicode code points, without credentials, white space, control characters (bidirectional ones included) and
backslashes. Macros such as \`{click_id}\` and international host names are fine. It is never fetched.`.replaceAll(
    '\n',
    ' ',
  );

export const aboutKey = 'An access key, which the operator issues: `cm_` and 49 letters and digits.';

export const aboutCall =
  `The mirror must have been created in the settings of the campaign, the campaign must not be the default one of its
owner, and the key must belong to that owner. An answer of 200 means that the change is committed. Calling again
with the same address is safe.`.replaceAll('\n', ' ');

export const aboutAnswers = `Campaigns send their traffic to a *mirror*, an address that can be changed while the campaign is live. This is the one
call that changes it.

All bodies are JSON. An answer of 4xx or 5xx has a \`message\`; one of 422 also has \`errors\`, with one message: the first
that applies. Send a request again after 429 and 503, \`Retry-After\` seconds later, and after 408 or a broken
connection; nothing else. After 408 and 429 nothing was changed; after 503 and a broken connection the outcome is unknown.

Each answer carries \`X-Request-Id\`, yours if you sent one, and \`X-Content-Type-Options: nosniff\` and
\`Referrer-Policy: no-referrer\`; \`Strict-Transport-Security\` and the headers of CORS if the operator has set them.
Ignore keys and headers that you do not know: a later version may add some.`;
