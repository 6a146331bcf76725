export { type UsageLimitPolicyDocument, usageLimitPolicyModel } from './model.ts';
export { limitOfUsagePolicy } from './to-limit.ts';
