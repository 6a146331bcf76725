export { changePolicy } from './change.ts';
export { type PolicyKind, parseConditions, parseGroups } from './conditions.ts';
export { archivePolicy, policyToChange, readPolicy } from './find.ts';
export { listPolicies, policyPlace } from './list.ts';
export { policyMembers, type StoredPolicy } from './stored.ts';
export { type PolicyWorkspace, policyFacts, policyOwner } from './to-limit.ts';
