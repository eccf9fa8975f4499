export { type IssuerKeyOptions, type IssuerObserver, issuerKeys } from './tokens/issuer-keys.ts';
export { isTokenForm, JwtIdentity, keysOrTokens, type TokenRules } from './tokens/jwt-identity.ts';
