export {
  type IssuerKeyOptions,
  type IssuerKeys,
  type IssuerObserver,
  issuerKeys,
} from './tokens/issuer-keys.ts';
export { JwtIdentity, type TokenRules } from './tokens/jwt-identity.ts';
export { keysOrTokens } from './tokens/keys-or-tokens.ts';
export { isTokenForm } from './tokens/token-form.ts';
