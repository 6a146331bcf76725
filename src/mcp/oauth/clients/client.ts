/** How a client proves itself at the token endpoint. */
export const clientAuthMethods = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const;
export type ClientAuthMethod = (typeof clientAuthMethods)[number];

/** A program that asks for tokens in the name of people. */
export type OauthClient = {
  /** As it was given out; of a client whose description stands on the web, the address of that. */
  id: string;
  /** What the client calls itself: nobody has checked it. */
  name: string | null;
  redirectUris: readonly string[];
  authMethod: ClientAuthMethod;
  /** `Secrets.hash`; null for a client without a secret. */
  secretHash: string | null;
  /** Public keys of a client that signs, in the form of RFC 7517; null for none. */
  jwks: { keys: object[] } | null;
  /** Where its public keys are. */
  jwksUri: string | null;
};
