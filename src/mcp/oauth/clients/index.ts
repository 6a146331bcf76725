export { type ClientAuthMethod, clientAuthMethods, type OauthClient } from './client.ts';
export { findClient, noteClientUse } from './find.ts';
export type { ForeignUrls } from './foreign-url.ts';
export { createDescribedClients, type DescribedClients } from './metadata-document.ts';
export { oauthClientModel, registrationCountModel } from './model.ts';
export { type ClientProof, requireProof } from './prove.ts';
export { isLocalRedirect, isRegistered, redirectUriProblem } from './redirect-uris.ts';
export { type RegisteredClient, registerClient } from './register.ts';
