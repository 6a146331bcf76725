import { type SwitchName, switches, switchNames } from './table.ts';

/** Whether each switch is on. */
export type SwitchStates = Readonly<Record<SwitchName, boolean>>;

/** What is set in an organisation or a workspace; what is null or absent is left as it is elsewhere. */
export type SetSwitches = Partial<Record<SwitchName, boolean | null>>;

/** What an organisation has set: its switches, and those that its workspaces may set otherwise. */
export type SwitchSettings = {
  switches?: SetSwitches | null;
  overridableSwitches?: readonly SwitchName[] | null;
};

/** The states where nobody has set anything. */
export const initialStates: SwitchStates = Object.freeze(
  Object.fromEntries(switchNames.map((name) => [name, switches[name].isOnByDefault])) as Record<
    SwitchName,
    boolean
  >,
);

/** The states that hold in an organisation or, with what a workspace has set where it may, in that workspace. */
export function switchStates(
  organisation: SwitchSettings | undefined,
  ofWorkspace?: SetSwitches | null,
): SwitchStates {
  if (!organisation?.switches && !organisation?.overridableSwitches) return initialStates;
  const { switches: set, overridableSwitches } = organisation;
  const mayDiffer = new Set(overridableSwitches);
  return Object.fromEntries(
    switchNames.map((name) => {
      const own = mayDiffer.has(name) && switches[name].isOverridable ? ofWorkspace?.[name] : null;
      return [name, own ?? set?.[name] ?? initialStates[name]];
    }),
  ) as SwitchStates;
}
