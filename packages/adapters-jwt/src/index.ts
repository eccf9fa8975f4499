export { type IssuerKeyOptions, IssuerKeys, type IssuerObserver } from './tokens/issuer-keys.ts';
export { JwtIdentity, type TokenRules } from './tokens/jwt-identity.ts';
export { KeysOrTokens } from './tokens/keys-or-tokens.ts';
export { isTokenForm } from './tokens/token-form.ts';
