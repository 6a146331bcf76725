import { switchNames } from '../../../auth/index.ts';
import type { LogMode } from '../../../directory/memory.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import type { LogExportField, UpdateWorkspaceSettingsInput } from '../../types.generated.ts';
import { type OrganisationSettings, organisationById } from '../organisation/index.ts';
import { switchMembers } from '../organisation-switch/index.ts';
import { workspaceById } from './loaders.ts';
import { type WorkspaceDocument, type WorkspaceSettings, workspaceModel } from './model.ts';
import { getWorkspace } from './service.ts';

type OfOrganisation = OrganisationSettings | undefined;
type OfWorkspace = WorkspaceSettings | undefined;

/** The mode that holds in a workspace; null where nobody has set one. */
export const logModeOf = (organisation: OfOrganisation, workspace: OfWorkspace): LogMode | null =>
  (organisation?.allowLogModeOverride ? workspace?.logMode : null) ?? organisation?.logMode ?? null;

/** What no log export of a workspace may hold: what its organisation says, or the workspace where it may differ. */
export async function deniedExportFields(
  context: GraphContext,
  workspaceId: string,
): Promise<LogExportField[]> {
  const organisationId = context.principal?.organisationId ?? '';
  const [organisation, workspace] = await Promise.all([
    organisationById(context).load(organisationId),
    workspaceById(context).load(workspaceId),
  ]);
  const common = organisation?.settings;
  const own = common?.allowExportOverride ? workspace?.settings?.deniedExportFields : null;
  return own ?? common?.deniedExportFields ?? [];
}

export async function updateWorkspaceSettings(
  context: GraphContext,
  id: string,
  input: UpdateWorkspaceSettingsInput,
): Promise<WorkspaceDocument> {
  const { _id, organisationId } = await getWorkspace(context, id, 'workspaces.update');
  const settings = (await organisationById(context).load(organisationId))?.settings;
  requireOverride(settings?.allowExportOverride, input, 'deniedExportFields');
  requireOverride(settings?.allowLogModeOverride, input, 'logMode');
  requireOverridable(settings, input);
  const { switches: _switches, ...members } = input;
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  const updated = await workspaceModel(context.db)
    .findOneAndUpdate(
      { _id, organisationId },
      {
        ...Object.fromEntries(given.map(([name, value]) => [`settings.${name}`, value])),
        ...switchMembers(input.switches),
      },
      { returnDocument: 'after' },
    )
    .lean<WorkspaceDocument>();
  if (!updated) throw new GatewayError('NOT_FOUND', { message: 'The workspace does not exist.' });
  await context.changes.publish('workspace');
  return updated;
}

/** A workspace may take back what it has set, whatever its organisation says by now. */
function requireOverridable(
  organisation: OfOrganisation,
  { switches: given }: UpdateWorkspaceSettingsInput,
): void {
  const mayDiffer = new Set(organisation?.overridableSwitches);
  const refused = switchNames.find((name) => given?.[name] != null && !mayDiffer.has(name));
  if (refused === undefined) return;
  throw invalidInput(
    `input.switches.${refused}`,
    `input.switches.${refused} cannot be set: the organisation lets no workspace differ.`,
  );
}

function requireOverride(
  isAllowed: boolean | undefined,
  input: UpdateWorkspaceSettingsInput,
  name: keyof UpdateWorkspaceSettingsInput,
): void {
  if (isAllowed || input[name] == null) return;
  throw invalidInput(
    `input.${name}`,
    `input.${name} cannot be set: the organisation lets no workspace differ.`,
  );
}
