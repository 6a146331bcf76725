export { type ArrivalLimits, watchArrivals, watched } from './arrivals.ts';
export { type BodyBudget, type BodyOwner, bodyGauge, createBodyBudget } from './budget.ts';
export { announcedBytes, BodyAborted, bodyTooLarge, hasBody, readBody } from './read-body.ts';
export type { Hold } from './share.ts';
