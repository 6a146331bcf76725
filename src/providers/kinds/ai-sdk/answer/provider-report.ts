import { isObject } from '../../../../lib/json.ts';
import { retryDelayIn } from '../../gemini/native-api.ts';
import { isText } from '../fields.ts';

/** What a provider's error says, in whatever form it writes errors. */
export type ProviderReport = {
  message?: string;
  type?: string;
  code: string | null;
  /** Seconds to wait, where the body says so. */
  wait: string | null;
};

/** `{error: {type|status, message, code}}` as most providers write it, or `{message}` alone. */
export function reportOf(body: string | undefined): ProviderReport {
  const parsed = parse(body);
  const whole = isObject(parsed) ? parsed : {};
  const inner = isObject(whole.error) ? whole.error : whole;
  const type = [inner.type, inner.status].find(isText);
  const message = [inner.message, whole.message, whole.error].find(isText) ?? plainText(body, parsed);
  const delay = retryDelayIn(inner.details);
  return {
    message,
    type,
    code: isText(inner.code) ? inner.code : null,
    wait: delay === null ? null : String(Math.ceil(delay / 1000)),
  };
}

const parse = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
};

const plainText = (body: string | undefined, parsed: unknown): string | undefined =>
  parsed === undefined && body !== undefined && body !== '' && !body.trimStart().startsWith('<')
    ? body
    : undefined;
