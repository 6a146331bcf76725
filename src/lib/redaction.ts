/** What stands in a log, trace, audit row or error body where a secret was. */
export const REDACTED = '[redacted]';

const secretNames =
  /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key|api-key|key|secret|password|token|credential|credentials|client[_-]?secret|access[_-]?token|refresh[_-]?token|private[_-]?key|api[_-]?key|ocp-apim-subscription-key)$|(-api-key|_api_key|apiKey|secret_access_key|_secret|_password|_token|service_account_json)$/i;

// Gateway keys and the common provider keys, wherever they stand in a text.
const secretValues =
  /\b(sl-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{16,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})|\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/g;

export const isSecretName = (name: string): boolean => secretNames.test(name);

export const redactText = (text: string): string => text.replace(secretValues, REDACTED);

/** A copy of `value` with secret members and secret-looking texts replaced. The only redaction function of the project. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth > 12) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  if (value instanceof Error) return redactError(value, depth);
  if (Buffer.isBuffer(value)) return `<${value.length} bytes>`;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecretName(name) && member !== null && member !== undefined ? REDACTED : redact(member, depth + 1),
    ]),
  );
}

function redactError(error: Error, depth: number): unknown {
  return {
    name: error.name,
    message: redactText(error.message),
    stack: error.stack && redactText(error.stack),
    ...(error.cause !== undefined && { cause: redact(error.cause, depth + 1) }),
  };
}
