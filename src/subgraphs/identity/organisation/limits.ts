import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { changeLimits } from '../../limits/change.ts';
import type { UpdateOrganisationLimitsInput } from '../../types.generated.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { limitOwner, type OrganisationDocument, organisationModel } from './model.ts';

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The organisation does not exist.' });

/** Changes what all calls of the credential's organisation come under. */
export async function updateOrganisationLimits(
  context: GraphContext,
  input: UpdateOrganisationLimitsInput,
): Promise<OrganisationDocument> {
  const { organisationId: _id } = requireScope(context.principal, ['organisation_settings.update']);
  const model = organisationModel(context.db);
  const read = () => model.findOne({ _id }).lean<OrganisationDocument>();
  const present = await read();
  if (!present) throw notFound();
  const updated = await changeLimits<OrganisationDocument>(context, {
    ...{ input, present, read, ownerOf: limitOwner },
    write: (limits, unchanged) =>
      model
        .findOneAndUpdate({ _id, ...ifUnchanged(context), ...unchanged }, limits, { returnDocument: 'after' })
        .lean<OrganisationDocument>(),
  });
  if (!updated) throw notWritten(context, notFound());
  await context.changes.publish('organisation');
  return updated;
}
