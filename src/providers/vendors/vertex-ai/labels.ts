const MAX_LABELS = 64;
/** Characters that Google takes, of a key as of a value. */
const MAX_LENGTH = 63;

/**
 * Metadata as the labels by which Google breaks its bills down: in lower case, other
 * characters than a-z, 0-9, `_` and `-` as `_`, and of a key what begins with a letter. Undefined where that leaves nothing.
 */
export function labelsOf(metadata: Readonly<Record<string, string>>): Record<string, string> | undefined {
  const labels = new Map<string, string>();
  for (const [name, value] of Object.entries(metadata)) {
    const key = plain(name.replace(/^[^a-z]+/i, ''));
    if (key !== '' && labels.size < MAX_LABELS) labels.set(key, plain(value));
  }
  return labels.size > 0 ? Object.fromEntries(labels) : undefined;
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .slice(0, MAX_LENGTH)
    .replace(/[^a-z0-9_-]/g, '_');
