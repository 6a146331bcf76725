export { inviteModel } from './model.ts';
