import { LRUCache } from 'lru-cache';
import { isSecretName, REDACTED, redact, redactText } from '../redaction.ts';

/** Headers without secrets, as they are kept. `sensitive`: names of more that are hidden. */
export function redactHeaders(
  headers: Record<string, string | string[] | undefined>,
  sensitive: readonly string[] = [],
): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    const hidden = isSecretName(name) || sensitive.includes(name);
    safe[name] = hidden
      ? REDACTED
      : name.endsWith('-config')
        ? redactConfig(String(value))
        : redactText(String(value));
  }
  return safe;
}

const safeConfigs = new LRUCache<string, string>({ max: 200 });

/** An inline config may carry provider keys; a saved one is only a slug. What is neither is not kept. */
function redactConfig(value: string): string {
  if (!/^\s*[{[]/.test(value)) return redactText(value);
  let safe = safeConfigs.get(value);
  if (safe === undefined) {
    safe = redactJson(value);
    safeConfigs.set(value, safe);
  }
  return safe;
}

function redactJson(text: string): string {
  try {
    return JSON.stringify(redact(JSON.parse(text)));
  } catch {
    // Not JSON: the caller was told, and secrets in it cannot be told from the rest.
    return REDACTED;
  }
}
