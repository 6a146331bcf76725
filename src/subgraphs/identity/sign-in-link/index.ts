export { makeSignInLink, OWN_LINK_MS, setUpLinkTo, signInLinkTo } from './make.ts';
export { signInLinkModel } from './model.ts';
export { firstOrganisationId, hasOwner, lacksOwner, makeSetUpLink } from './set-up.ts';
export { useSignInLink } from './use.ts';
