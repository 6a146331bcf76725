import { canonicalText } from '../lib/canonical.ts';
import { redactHeaders } from '../lib/http/redact-headers.ts';
import { redact, redactQuery, redactText } from '../lib/redaction.ts';
import type { AuditEntry } from '../recording/audit/entry.ts';
import type { GraphContext } from './context.ts';

/** Enough to see what was asked; an entry is not a backup of what was sent. */
const MAX_CHARACTERS = 64 * 1024;

type RequestMember =
  | 'method'
  | 'uri'
  | 'requestId'
  | 'requestBody'
  | 'queryParams'
  | 'requestHeaders'
  | 'clientIp'
  | 'country'
  | 'userAgent'
  | 'timestamp';

/** What an audit entry says of its request, without secrets. `input` is what was asked for, without its `@secret` members. */
export const auditedRequest = (
  { request, now }: Pick<GraphContext, 'request' | 'now'>,
  input: object,
): Pick<AuditEntry, RequestMember> => ({
  method: request.method,
  uri: redactText(request.path),
  requestId: redactText(request.id),
  requestBody: JSON.stringify(redact(input)).slice(0, MAX_CHARACTERS),
  queryParams: redactQuery(request.query),
  requestHeaders: JSON.stringify(redactHeaders(request.headers)).slice(0, MAX_CHARACTERS),
  clientIp: request.clientIp,
  country: request.country,
  userAgent: redactText(request.headers['user-agent'] ?? ''),
  timestamp: now(),
});

/** Keyed hash of a document as it is stored: equal ones mean equal documents. */
export const auditDigest = ({ secrets }: Pick<GraphContext, 'secrets'>, document: object): string =>
  secrets.sign('audit digest', canonicalText(document));
