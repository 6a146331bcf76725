import { z } from 'zod';
import type { JwtIssuer } from './index.ts';
import { jsonText, plainUrl } from './json-setting.ts';

const name = z.string().min(1).max(2048);

const issuer = z.strictObject({
  issuer: name,
  jwks_url: plainUrl,
  organisation_id: z.string().min(1).max(255),
  audience: name.optional(),
});

/** The environment variable's JSON as a list of issuers; every mistake in it is reported, values never are. */
export const jwtIssuers = jsonText
  .pipe(z.array(issuer).max(50))
  .superRefine((issuers, { addIssue }) => {
    issuers.forEach((one, index) => {
      // Whom a token speaks for must be plain from its issuer.
      if (issuers.findIndex((other) => other.issuer === one.issuer) === index) return;
      addIssue({ code: 'custom', path: [index, 'issuer'], message: 'is the issuer of an earlier one' });
    });
  })
  .transform((issuers) =>
    issuers.map(
      ({ jwks_url: jwksUrl, organisation_id: organisationId, audience = null, ...rest }): JwtIssuer => ({
        ...rest,
        jwksUrl,
        organisationId,
        audience,
      }),
    ),
  );
