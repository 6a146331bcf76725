export { threadItemModel } from './model.ts';
export { messageItems, type WrittenMessage, writtenMessage } from './new-message.ts';
