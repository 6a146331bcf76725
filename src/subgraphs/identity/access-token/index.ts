export type { Client } from './client.ts';
export { findClient, invalidClient } from './client.ts';
export { type AccessToken, issueAccessToken, type TokenRequest } from './issue.ts';
