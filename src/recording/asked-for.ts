import type { BilledImages } from './pricing/cost.ts';
import type { ExchangeDraft, PortableBody } from './request-log.ts';

/** `/v1beta/models/<m>:generateContent`, `/model/<m>/converse`, `/deployments/<m>/chat/completions` */
const modelPath = /\/models\/([^/:?]+):\w|\/model\/([^/?]+)\/(?:converse|invoke)|\/deployments\/([^/?]+)\//;
const modelField = /name="?model"?[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n([^\r\n]{1,256})/i;

/** The model of a request whose body is not JSON or names none: in the path, or a field of a form. */
export function modelElsewhere({ record, requestHeaders, requestBody }: ExchangeDraft): string | null {
  const path = modelPath.exec(record.requestUrl);
  const form = /^multipart\//i.test(String(requestHeaders['content-type'] ?? '')) ? requestBody?.text : null;
  const found = path?.[1] ?? path?.[2] ?? path?.[3] ?? (form && modelField.exec(form)?.[1]);
  return found ? found.slice(0, 256) : null;
}

/** The images that a request asked for, where those are what is billed. */
export function askedImages({ record, requestBody, transformed }: ExchangeDraft): BilledImages | null {
  if (!record.isSuccess || !/\/images\/generations(\?|$)/.test(record.requestUrl)) return null;
  const asked = parsed(transformed?.body ?? requestBody);
  if (!asked) return null;
  const text = (value: unknown) => (typeof value === 'string' ? value : 'default');
  const count = Number.isInteger(asked.n) && Number(asked.n) > 0 ? Number(asked.n) : 1;
  return { count, quality: text(asked.quality), size: text(asked.size) };
}

function parsed(body: PortableBody | null): Record<string, unknown> | null {
  // Only the beginning of a longer body is here.
  if (!body || body.text.length < body.size) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(body.text, 'latin1').toString('utf8'));
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    // The provider took it for something else; what was billed cannot be told.
    return null;
  }
}
