/** In characters. Tokens of Keycloak and Auth0 have 1,000 to 2,000. */
const maxLength = 8_192;

const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Whether this has the form of a signed token: three parts in base64url (RFC 7515, section 7.1), at most 8 KiB. */
export function isTokenForm(credential: string): boolean {
  return credential.length <= maxLength && threeParts.test(credential);
}
