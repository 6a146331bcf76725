export { keyRights, type OwnData, type Rights, type RoleGrant, rightsOf } from './rights.ts';
export {
  effectiveSwitches,
  initialStates,
  type SetSwitches,
  type SwitchSettings,
  type SwitchStates,
  switchStates,
} from './states.ts';
export { type SwitchName, switches, switchNames } from './table.ts';
