export {
  addItems,
  createConversation,
  deleteConversation,
  deleteItem,
  getItem,
  listConversationItems,
  readConversation,
  updateConversation,
} from './service.ts';
