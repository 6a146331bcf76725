import type { BilledImages } from './cost.ts';

/** The beginning of a body of `size` bytes. */
type KeptBody = { bytes: Buffer; size: number };

/** The images that a successful request for images was billed for, by its body; null for other calls. */
export function billedImages(
  { isSuccess, requestUrl }: { isSuccess: boolean; requestUrl: string },
  body: KeptBody | null,
): BilledImages | null {
  if (!isSuccess || !/\/images\/generations(\?|$)/.test(requestUrl)) return null;
  const asked = parsed(body);
  if (!asked) return null;
  const text = (value: unknown) => (typeof value === 'string' ? value : 'default');
  const count = Number.isInteger(asked.n) && Number(asked.n) > 0 ? Number(asked.n) : 1;
  return { count, quality: text(asked.quality), size: text(asked.size) };
}

/** The JSON of a body; null where it is none, or where only the beginning of the body was kept. */
function parsed(body: KeptBody | null): Record<string, unknown> | null {
  if (!body || body.bytes.length < body.size) return null;
  try {
    const value: unknown = JSON.parse(body.bytes.toString('utf8'));
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    // The provider read the body in another way, which the gateway does not know.
    return null;
  }
}
