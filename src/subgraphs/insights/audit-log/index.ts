export { auditLogModel } from './model.ts';
