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

/** Who says that a switch is on or off. */
type SwitchOrigin = 'default' | 'organisation' | 'workspace';

/** A switch as it holds somewhere, and who says so. */
type EffectiveSwitch = { name: SwitchName; isOn: boolean; origin: SwitchOrigin };

/** The switches that hold in an organisation or, with what a workspace has set where it may, in that workspace. */
export function effectiveSwitches(
  organisation: SwitchSettings | undefined,
  ofWorkspace?: SetSwitches | null,
): EffectiveSwitch[] {
  const mayDiffer = new Set(organisation?.overridableSwitches);
  return switchNames.map((name) => {
    const own = mayDiffer.has(name) && switches[name].isOverridable ? ofWorkspace?.[name] : null;
    if (own != null) return { name, isOn: own, origin: 'workspace' };
    const common = organisation?.switches?.[name];
    return common != null
      ? { name, isOn: common, origin: 'organisation' }
      : { name, isOn: initialStates[name], origin: 'default' };
  });
}

/** Their states alone. */
export function switchStates(
  organisation: SwitchSettings | undefined,
  ofWorkspace?: SetSwitches | null,
): SwitchStates {
  if (!organisation?.switches && !organisation?.overridableSwitches) return initialStates;
  const effective = effectiveSwitches(organisation, ofWorkspace);
  return Object.fromEntries(effective.map(({ name, isOn }) => [name, isOn])) as SwitchStates;
}
