import { z } from 'zod';
import { failable } from '../common.ts';
import { matchTypeParameter, patternProblem, wantedValues } from '../pattern/value-match.ts';
import { urlParameter } from '../remote/common.ts';

const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const;

const claimName = z.string().min(1).max(200);
const seconds = (usual: number, most: number) => z.int().min(0).max(most).default(usual);

const claimValue = z
  .strictObject({ values: wantedValues, matchType: matchTypeParameter })
  .superRefine(({ values, matchType }, context) => {
    const message = matchType === 'regex' ? patternProblem(values) : null;
    if (message !== null) context.addIssue({ code: 'custom', path: ['values'], message });
  });

export const jwtParameters = z
  .strictObject({
    jwksUri: urlParameter.optional().describe('Where the issuer has its keys, as a JWK set.'),
    jwks: z
      .strictObject({ keys: z.array(z.record(z.string(), z.json())).min(1).max(100) })
      .optional()
      .describe('The keys of the issuer, as a JWK set.'),
    introspectEndpoint: urlParameter
      .optional()
      .describe('Where the issuer says what a token is good for (RFC 7662).'),
    introspectContentType: z
      .enum(['application/x-www-form-urlencoded', 'application/json'])
      .default('application/x-www-form-urlencoded')
      .describe('How the token is sent there.'),
    introspectCacheMaxAge: seconds(0, 86_400).describe('Seconds for which its answer is remembered.'),
    headerKey: z
      .string()
      .min(1)
      .max(200)
      .default('Authorization')
      .describe('The header with the token; `Bearer` before it is left out.'),
    algorithms: z
      .array(z.enum(algorithms))
      .min(1)
      .default(['RS256'])
      .describe('The algorithms that a signature may have.'),
    cacheMaxAge: seconds(86_400, 604_800).describe('Seconds for which keys of `jwksUri` are kept.'),
    clockTolerance: seconds(5, 3_600).describe('Seconds by which clocks may differ.'),
    maxTokenAge: z
      .string()
      .regex(
        /^\d{1,9}\s?(s|m|h|d|w|y|seconds?|minutes?|hours?|days?|weeks?|years?)$/,
        'is no time such as 1d',
      )
      .default('1d')
      .describe('How long ago a token may have been issued, such as `12h` or `1d`.'),
    requiredClaims: z.array(claimName).max(100).default([]).describe('Claims that a token has to have.'),
    claimValues: z
      .record(claimName, claimValue)
      .default({})
      .describe('What values claims have to have; a claim that is a list is compared member by member.'),
    headerPayloadMatch: z
      .array(claimName)
      .max(20)
      .default([])
      .describe('Members that header and payload of the token have to have alike.'),
    extractClaims: z
      .array(claimName)
      .max(50)
      .default([])
      .describe('Claims that go to the provider as headers.'),
    claimPrefix: z
      .string()
      .max(50)
      .regex(/^[a-z0-9-]*$/, 'has characters other than a-z, 0-9 and hyphens')
      .default('x-jwt-')
      .describe('What the names of those headers begin with.'),
    ...failable,
  })
  .superRefine(({ jwksUri, jwks, introspectEndpoint }, context) => {
    if (jwksUri !== undefined || jwks !== undefined || introspectEndpoint !== undefined) return;
    const message = 'one of jwksUri, jwks and introspectEndpoint is needed';
    context.addIssue({ code: 'custom', path: ['jwksUri'], message });
  });

export type JwtParameters = z.infer<typeof jwtParameters>;
