export { keepAdministrator } from './administrators.ts';
export { type AccessPolicyDocument, accessPolicyModel } from './model.ts';
export { loadAccountRecords } from './records.ts';
export { forgetPrincipals, isRoleGiven, permissionsGivenTo } from './service.ts';
