export { userById } from './loaders.ts';
export { userIdsAmong, userIdWithEmail } from './lookup.ts';
export { type UserDocument, userModel } from './model.ts';
