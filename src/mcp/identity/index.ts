export { withIdentity } from './forward.ts';
export { createProofs, IdentityProblem, type ProveIdentity } from './prove.ts';
