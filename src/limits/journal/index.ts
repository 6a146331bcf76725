export { Journal } from './journal.ts';
export { Recovery } from './recovery.ts';
