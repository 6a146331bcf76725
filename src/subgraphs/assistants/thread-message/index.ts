export { messageById } from './loaders.ts';
export { keptItemModel, threadItemModel } from './model.ts';
export { messageItems, type WrittenMessage, writtenMessage } from './new-message.ts';
