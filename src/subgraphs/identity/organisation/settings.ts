import { requireScope, switchStates } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import type { UpdateOrganisationSettingsInput } from '../../types.generated.ts';
import { parseMetadataSchema } from '../metadata-schema.ts';
import { changedSwitches } from '../organisation-switch/index.ts';
import { organisationById } from './loaders.ts';
import { type OrganisationDocument, organisationModel } from './model.ts';

export const shownSettings = ({ settings }: Pick<OrganisationDocument, 'settings'>) => ({
  deniedExportFields: settings?.deniedExportFields ?? [],
  allowExportOverride: settings?.allowExportOverride ?? false,
  logMode: settings?.logMode ?? null,
  allowLogModeOverride: settings?.allowLogModeOverride ?? false,
  apiKeyMetadataSchema: settings?.apiKeyMetadataSchema ?? null,
  workspaceMetadataSchema: settings?.workspaceMetadataSchema ?? null,
  savedConfigsOnly: settings?.savedConfigsOnly ?? false,
  mcpForceApproval: settings?.mcpForceApproval ?? [],
  switches: switchStates(settings),
  overridableSwitches: [...(settings?.overridableSwitches ?? [])],
});

export async function updateOrganisationSettings(
  context: GraphContext,
  input: UpdateOrganisationSettingsInput,
): Promise<OrganisationDocument> {
  const { organisationId } = requireScope(context.principal, ['organisation_settings.update']);
  const {
    logMode,
    apiKeyMetadataSchema,
    workspaceMetadataSchema,
    switches,
    overridableSwitches,
    ...members
  } = input;
  requireToolNames(input.mcpForceApproval ?? []);
  const before = await organisationById(context).load(organisationId);
  const given = Object.entries(members).filter(([, value]) => value != null);
  const updated = await organisationModel(context.db)
    .findOneAndUpdate(
      { _id: organisationId },
      {
        ...Object.fromEntries(given.map(([name, value]) => [`settings.${name}`, value])),
        ...(logMode !== undefined && { 'settings.logMode': logMode }),
        ...(await changedSwitches(context, before?.settings, { switches, overridableSwitches })),
        ...schemaMember('apiKeyMetadataSchema', apiKeyMetadataSchema),
        ...schemaMember('workspaceMetadataSchema', workspaceMetadataSchema),
      },
      { returnDocument: 'after' },
    )
    .lean<OrganisationDocument>();
  if (!updated) throw new GatewayError('NOT_FOUND', { message: 'The organisation does not exist.' });
  await context.changes.publish('organisation');
  return updated;
}

/** A slug has no slash, and names of tools may have any. */
function requireToolNames(names: readonly string[]): void {
  const at = names.findIndex((name) => !/^(\*|[a-zA-Z0-9_-]+)\/./.test(name));
  if (at === -1) return;
  const param = `input.mcpForceApproval[${at}]`;
  throw invalidInput(param, `${param} must be <slug>/<tool>, of which each may be *.`);
}

function schemaMember(name: string, value: unknown) {
  if (value === undefined) return {};
  return { [`settings.${name}`]: value === null ? null : parseMetadataSchema(value, `input.${name}`) };
}
