import { z } from 'zod';
import { customHostProblem } from '../../../lib/http/custom-host.ts';

/** The most milliseconds that a check may be given for an exchange. */
const MAX_TIMEOUT = 60_000;

export const timeoutParameter = (usual: number) =>
  z.int().min(1).max(MAX_TIMEOUT).default(usual).describe('The most milliseconds for an answer.');

/** The address of a service. */
export const urlParameter = z.string().superRefine((url, context) => {
  const problem = customHostProblem(url);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

/** A credential: the administration shows it to nobody, and takes a reference to a secret in its place. */
export const secretParameter = z.string().min(1).max(20_000).meta({ secret: true });

const headerName = z
  .string()
  .max(200)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'is no name of a header');
const headerValue = z
  .string()
  .max(8_000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'has characters that no header may have');

export const headersParameter = z
  .record(headerName, headerValue)
  .refine((headers) => Object.keys(headers).length <= 50, 'there are at most 50 headers')
  .default({})
  .meta({ secret: true });

/** The JSON value that an answer holds. Throws an Error for whoever reads results where it holds none. */
export function jsonAnswer(who: string, { status, body }: { status: number; body: string }): unknown {
  requireSuccess(who, status);
  try {
    return JSON.parse(body);
  } catch {
    throw new Error(`${who} answered no JSON.`);
  }
}

export function requireSuccess(who: string, status: number): void {
  if (status < 200 || status > 299) throw new Error(`${who} answered ${status}.`);
}
