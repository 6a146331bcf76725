export { changedSwitches, switchMembers } from './change.ts';
