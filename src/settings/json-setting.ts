import { z } from 'zod';

/** An environment variable that holds JSON; what is not JSON is reported without repeating it. */
export const jsonText = z.string().transform((text, { issues }): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    issues.push({ code: 'custom', message: 'must be JSON', input: undefined });
    return z.NEVER;
  }
});

/** The address of a service that the operator names: it may be private, and carries no credentials. */
export const plainUrl = z
  .string()
  .max(2048)
  .refine(isPlainUrl, 'must be an http or https URL without credentials in it');

function isPlainUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
