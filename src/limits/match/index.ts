export { compileLimits } from './compile.ts';
export { CompiledLists } from './compiled-lists.ts';
export type { LimitFacts, LimitStage } from './facts.ts';
export type { Applied, LimitIndex } from './limit-index.ts';
export { type LimitIndexes, stageOfLimit } from './limit-indexes.ts';
export { OVERFLOW, SeenValues } from './value-key.ts';
