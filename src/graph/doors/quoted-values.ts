import { isSecretName, REDACTED } from '../../lib/redaction.ts';

/** A member with its text, as errors about input quote it: `token: "…"`. */
const member = /\b([A-Za-z_]\w*): "(?:[^"\\]|\\.)*"/g;
/** An error about one member, which quotes its value twice. */
const aboutMember = /^(Variable "\$\w+" got invalid value ).*( at "(?:[^"]*\.)?(\w+)(?:\[\d+\])*"; [^:]*)/s;

/**
 * A message of GraphQL about input that does not fit, without the texts of members with secret names: such a message
 * quotes the whole object in which one member is wrong.
 */
export function withoutQuotedSecrets(message: string): string {
  const [, head = '', tail = '', name = ''] = aboutMember.exec(message) ?? [];
  if (isSecretName(name)) return `${head}${REDACTED}${tail}`;
  return message.replace(member, (whole, named: string) =>
    isSecretName(named) ? `${named}: "${REDACTED}"` : whole,
  );
}
