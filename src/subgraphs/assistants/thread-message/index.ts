export { messageById } from './loaders.ts';
export { threadItemModel } from './model.ts';
export { messageItems, type WrittenMessage, writtenMessage } from './new-message.ts';
