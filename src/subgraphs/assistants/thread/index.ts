export { bringToThread } from './bring.ts';
export { getThread } from './find.ts';
export { type ThreadDocument, threadModel } from './model.ts';
export { newThread, threadShape } from './new-thread.ts';
