import { isFillable } from '../../../../mcp/configurations/index.ts';
import { parseSecretMappings, type SecretMapping } from '../../../catalog/secret-reference/index.ts';
import type { GraphContext } from '../../../context.ts';
import type { SecretMappingInput } from '../../../types.generated.ts';

const PREFIX = 'configurations.';

/** What refusals name: any header by its own name. */
const examples = ['headers.<name>', 'oauth_metadata.client_id', 'oauth_metadata.client_secret'];

/** The mappings of an integration, checked, with the ids of the references that they name. */
export const parseMcpMappings = (
  context: GraphContext,
  { organisationId, workspaceId }: { organisationId: string; workspaceId: string | null },
  given: readonly SecretMappingInput[] | null | undefined,
): Promise<SecretMapping[]> => {
  const asked = (given ?? []).map(({ targetField }) => targetField);
  const fillable = asked.filter(
    (field) => field.startsWith(PREFIX) && isFillable(field.slice(PREFIX.length)),
  );
  const names = [...fillable, ...examples.map((name) => PREFIX + name)];
  return parseSecretMappings(
    context,
    { organisationId, workspaceId, aiProviderId: '' },
    given,
    new Map(names.map((name) => [name, name])),
  );
};
