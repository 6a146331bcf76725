export { hasOtherAdministrator } from './administrators.ts';
export { userById } from './loaders.ts';
export { inactiveAmong, userIdsAmong, userIdWithEmail } from './lookup.ts';
export { type UserDocument, type UserStatus, userModel } from './model.ts';
export { isActive, userNameOf } from './provisioned.ts';
export { addressesOfAdministrators } from './told.ts';
