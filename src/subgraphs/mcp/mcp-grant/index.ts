export { recordClient, recordGrant, recordGrantEnd } from './audit.ts';
