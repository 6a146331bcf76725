export { recordClient, recordConnection, recordGrant, recordGrantEnd } from './audit.ts';
