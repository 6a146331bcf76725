export { type ClientTokens, createClientTokens, type TokenAsker } from './client-credentials.ts';
export { withMappedSecrets } from './mapped.ts';
export { askerOf, sharedHeaders } from './shared-headers.ts';
