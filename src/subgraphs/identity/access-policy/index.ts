export { keepAdministrator } from './administrators.ts';
export { loadAccountRecords } from './directory.ts';
export { type AccessPolicyDocument, accessPolicyModel } from './model.ts';
export { forgetPrincipals, isRoleGiven, permissionsGivenTo } from './service.ts';
