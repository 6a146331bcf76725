export { type ServiceAccountDocument, serviceAccountModel } from './model.ts';
