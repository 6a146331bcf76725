import {
  requireScope,
  type SwitchName,
  type SwitchSettings,
  switches,
  switchStates,
} from '../../../auth/index.ts';
import { invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import type { OrganisationSwitch, SwitchesInput } from '../../types.generated.ts';
import { requireHeld } from '../permission.ts';
import { userModel } from '../user/index.ts';

type Input = {
  switches?: SwitchesInput | null;
  overridableSwitches?: readonly OrganisationSwitch[] | null;
};

/** Members of a document by which settings keep what an input says of switches; null takes everything back. */
export function switchMembers(input: SwitchesInput | null | undefined): Record<string, unknown> {
  if (input === undefined) return {};
  if (input === null) return { 'settings.switches': {} };
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [`settings.switches.${name}`, value ?? null]),
  );
}

/** The same for an organisation; throws where the change would let nobody see the logs, or gives back what the caller lacks. */
export async function changedSwitches(
  context: GraphContext,
  before: SwitchSettings | undefined,
  { switches: given, overridableSwitches }: Input,
): Promise<Record<string, unknown>> {
  overridableSwitches?.forEach((name, index) => {
    if (switches[name].isOverridable) return;
    const param = `input.overridableSwitches[${index}]`;
    throw invalidInput(
      param,
      `${param}: ${name} holds for the whole organisation, so no workspace may set it.`,
    );
  });
  await requireSight(context, before, given);
  return {
    ...switchMembers(given),
    ...(overridableSwitches !== undefined && {
      'settings.overridableSwitches': [...new Set(overridableSwitches)],
    }),
  };
}

/**
 * Switches of admins are the owner's: only who holds what such a switch withholds turns it on again. It goes off only where
 * an owner is left to see what admins then do not.
 */
async function requireSight(
  context: GraphContext,
  before: SwitchSettings | undefined,
  given: SwitchesInput | null | undefined,
): Promise<void> {
  if (given === undefined) return;
  const principal = requireScope(context.principal, ['organisation_settings.update']);
  const old = switchStates(before);
  const set = given === null ? {} : { ...before?.switches, ...given };
  const states = switchStates({ switches: set });
  const ofAdmins = (Object.keys(switches) as SwitchName[]).filter(
    (name) => switches[name].role === 'organisation_admin' && states[name] !== old[name],
  );
  for (const name of ofAdmins) {
    const param = given === null ? 'input.switches' : `input.switches.${name}`;
    if (states[name]) requireHeld(principal, switches[name].takes ?? [], `turn ${name} on`, param);
    else if (!(await hasOwner(context, principal.organisationId)))
      throw invalidInput(
        param,
        `${param} must stay on: the organisation has no active owner, so nobody could see the logs.`,
      );
  }
}

const hasOwner = async ({ db }: GraphContext, organisationId: string): Promise<boolean> =>
  (await userModel(db).exists({ organisationId, role: 'owner', status: { $ne: 'inactive' } })) !== null;
