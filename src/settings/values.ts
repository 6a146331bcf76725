import { z } from 'zod';

/** A number without a sign or a fraction. */
export const wholeNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max));

/** The same, with what holds where nothing is given. */
export const integer = (fallback: number, min: number, max: number) =>
  wholeNumber(min, max).default(fallback);

export const choice = z.enum(['true', 'false']).transform((text) => text === 'true');

export const flag = (fallback: boolean) => choice.default(fallback);

/** A secret that travels in a header. */
export const headerSecret = z
  .string()
  .regex(
    /^[\x21-\x7e]{32,512}$/,
    'must be 32 to 512 characters without spaces, e.g. from `openssl rand -hex 32`',
  );
