/** What stands in a log, trace, audit row or error body where a secret was. */
export const REDACTED = '[redacted]';

// `api_key`, `x-auth-token`, `client_secret`: the last words of a name say what it holds, in any of the usual spellings.
const secretNames =
  /^(cookie|set-cookie|key|mod[ae]l-key|fal-key)$|(^|-)authorization(-auxiliary)?$|jwt-assertion$|api[-_]?key$|(^|[-_])(auth|functions|master)[-_]key$|(^|[-_.]|client|access|refresh)(secret|password|passphrase|token|credentials?|(access|private|secret|subscription)[-_]?key|service[-_]account[-_]json)$/i;
const camelCaseSecretNames =
  /[a-z0-9](Secret|Password|Passphrase|Token|Credentials?|(Access|Private|Secret|Subscription)Key|ServiceAccountJson)$/;

// Gateway keys and the common provider keys, wherever they stand in a text. Each may only begin where no such text can
// have begun before, so that a long text of almost-secrets is read once and not once a character. An escape of a URL or
// of JSON ends in letters that belong to nothing.
const secretValues =
  /(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4}))(sl-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{16,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})|\bBearer(?:\s|%20|\+)+[A-Za-z0-9._~+/=-]{8,}/g;

export const isSecretName = (name: string): boolean =>
  secretNames.test(name) || camelCaseSecretNames.test(name);

export const redactText = (text: string): string => text.replace(secretValues, REDACTED);

/** A query string, or a form, without the values of parameters with secret names: some providers take their key there. */
export const redactQuery = (query: string): string =>
  redactText(
    query.replace(/(^|[?&])([^=&]+)=[^&]*/g, (whole, separator: string, name: string) =>
      isSecretName(decodePercents(name)) ? `${separator}${name}=${REDACTED}` : whole,
    ),
  );

const decodePercents = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

// The end of a name that may mean a secret, and the beginning of the text that it names.
const namedTexts =
  /(?:key|secret|password|passphrase|token|credentials?|authorization|cookie|json)"\s*:\s*"/gi;
const restOfText = /[^"\\]*(?:\\.[^"\\]*)*/sy;

/**
 * JSON text, which may end anywhere, without the texts of members with secret names. A member that is just called `key`
 * stays: in the bodies of this gateway's callers it names an attribute.
 */
export function redactJsonText(json: string): string {
  let safe = '';
  let done = 0;
  for (const match of json.matchAll(namedTexts)) {
    const name = json.slice(json.lastIndexOf('"', match.index) + 1, json.indexOf('"', match.index));
    if (match.index < done || name === 'key' || !isSecretName(name)) continue;
    restOfText.lastIndex = match.index + match[0].length;
    safe += json.slice(done, restOfText.lastIndex) + REDACTED;
    restOfText.exec(json);
    done = restOfText.lastIndex;
  }
  return redactText(safe + json.slice(done));
}

/** A copy of `value` with secret members and secret-looking texts replaced. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth > 12) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  if (value instanceof Error) return redactError(value, depth);
  if (Buffer.isBuffer(value)) return `<${value.length} bytes>`;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redactText(name),
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
