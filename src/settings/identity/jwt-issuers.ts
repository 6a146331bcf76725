import { z } from 'zod';
import { jsonText, plainUrl } from '../json-setting.ts';

/** An identity provider whose JWTs stand for callers of one organisation. */
export type JwtIssuer = {
  /** The claim `iss` of its tokens. */
  issuer: string;
  /** Where its public keys are. */
  jwksUrl: string;
  organisationId: string;
  /** What the claim `aud` must name; null takes tokens for anybody. */
  audience: string | null;
};

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
