import type { BilledImages } from './pricing/cost.ts';
import type { ExchangeDraft, KeptBody } from './request-log.ts';

/**
 * `/v1beta/models/<m>:generateContent`, `/models/<owner>/<m>/predictions`, `/model/<m>/converse`,
 * `/deployments/<m>/chat/completions`, `/endpoints/<m>/invocations`; of Vertex AI `/endpoints/<m>:rawPredict` and
 * `/endpoints/<m>/chat/completions`, where `endpoints/<m>` is the model's name
 */
const modelPath =
  /\/(?:tuned)?models\/([^/:?]+):\w|\/models\/([^?]{1,256}?)\/predictions|\/model\/([^/?]+)\/(?:converse|invoke)|\/deployments\/([^/?]+)\/|\/(?:serving-)?endpoints\/([^/?]+)\/invocations|\/(endpoints\/[^/:?]+):\w|\/(endpoints\/(?!openapi\/)[^/?]+)\/(?:chat\/completions|invoke\/)/i;

/** The model that a request names in its path, in the providers' own formats. */
export function modelInPath(url: string): string | null {
  const path = modelPath.exec(url.split('?', 1)[0] ?? '');
  const model = path?.slice(1).find((group) => group !== undefined);
  return model?.slice(0, 256) ?? null;
}

/** The images that a request asked for, where those are what is billed. */
export function askedImages({
  record,
  requestBody,
  finalUntransformed,
  transformed,
}: ExchangeDraft): BilledImages | null {
  if (!record.isSuccess || !/\/images\/generations(\?|$)/.test(record.requestUrl)) return null;
  const asked = parsed(finalUntransformed ?? transformed?.body ?? requestBody);
  if (!asked) return null;
  const text = (value: unknown) => (typeof value === 'string' ? value : 'default');
  const count = Number.isInteger(asked.n) && Number(asked.n) > 0 ? Number(asked.n) : 1;
  return { count, quality: text(asked.quality), size: text(asked.size) };
}

function parsed(body: KeptBody | null): Record<string, unknown> | null {
  // Only the beginning of a longer body is here.
  if (!body || body.bytes.length < body.size) return null;
  try {
    const value: unknown = JSON.parse(body.bytes.toString('utf8'));
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    // The provider took it for something else; what was billed cannot be told.
    return null;
  }
}
