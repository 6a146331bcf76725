export { type TenantDocument, tenantModel } from './model.ts';
