export { withIdentity } from './forward.ts';
export { createProveIdentity, IdentityProblem, type ProveIdentity } from './prove.ts';
