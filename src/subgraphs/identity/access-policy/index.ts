export { loadAccountRecords } from './directory.ts';
export { type AccessPolicyDocument, accessPolicyModel } from './model.ts';
