export { type RateLimitPolicyDocument, rateLimitPolicyModel } from './model.ts';
export { limitOfRatePolicy } from './to-limit.ts';
