export { compileLimits, type LimitIndexes, stageOfLimit } from './compile.ts';
export type { LimitFacts, LimitStage } from './facts.ts';
export type { Applied, LimitIndex } from './limit-index.ts';
export { OVERFLOW, SeenValues } from './value-key.ts';
