import { GatewayError } from '../../src/errors/index.ts';
import { schemaIds } from './schema-ids.ts';

/** What went wrong, in the words of RFC 7644, section 3.12. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'tooMany'
  | 'uniqueness';

/** A mistake in a SCIM request that the graph has no word for. */
export class ScimFault extends GatewayError {
  readonly scimType: ScimType;

  constructor(scimType: ScimType, message: string) {
    super('VALIDATION_FAILED', { message });
    this.scimType = scimType;
  }
}

export const invalidValue = (message: string): ScimFault => new ScimFault('invalidValue', message);

/** Members of the graph's inputs that SCIM calls otherwise. */
const attributes: Readonly<Record<string, string>> = {
  email: 'emails',
  firstName: 'name.givenName',
  lastName: 'name.familyName',
  status: 'active',
  memberIds: 'members',
  addMemberIds: 'members',
  removeMemberIds: 'members',
};

const inScimWords = (text: string): string =>
  text.replace(/\binput\.(\w+)/g, (_, member: string) => attributes[member] ?? member);

/** A client takes 409 for a user or group that is there already; whoever only has to wait is told so. */
export const statusOf = ({ code, entry }: GatewayError): number =>
  code === 'IN_PROGRESS' ? 503 : entry.status;

/** The error envelope of RFC 7644, section 3.12. */
export function scimErrorBody(error: GatewayError): Record<string, unknown> {
  const scimType = scimTypeOf(error);
  return {
    schemas: [schemaIds.error],
    status: String(statusOf(error)),
    ...(scimType && { scimType }),
    detail: inScimWords(error.message),
  };
}

function scimTypeOf(error: GatewayError): ScimType | null {
  if (error instanceof ScimFault) return error.scimType;
  if (error.code === 'ALREADY_EXISTS') return 'uniqueness';
  if (error.code === 'MALFORMED_BODY') return 'invalidSyntax';
  if (error.code !== 'VALIDATION_FAILED') return null;
  return error.param === 'filter' ? 'invalidFilter' : 'invalidValue';
}
