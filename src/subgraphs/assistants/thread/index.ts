export { getThread } from './find.ts';
export { type ThreadDocument, threadModel } from './model.ts';
