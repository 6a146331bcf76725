export { createResponseKeeper } from './create.ts';
export { givenItems } from './items.ts';
export {
  cancelResponse,
  deleteResponse,
  followResponse,
  type ItemListArguments,
  itemListArguments,
  listInputItems,
  listItems,
  readResponse,
} from './service.ts';
