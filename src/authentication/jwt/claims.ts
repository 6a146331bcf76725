import type { JWTPayload } from 'jose';
import { z } from 'zod';
import { mayHold, type Scope } from '../../auth/index.ts';
import { labels } from '../../auth/labels.ts';
import { GatewayError } from '../../errors/index.ts';
import { type ClaimedLimits, rateLimitsClaim, usageLimitsClaim } from './claimed-limits.ts';

/** What a JWT says of its caller. */
export type JwtClaims = {
  /** Id or slug. */
  workspace: string;
  userId: string | null;
  scopes: ReadonlySet<Scope>;
  defaultConfig: string | null;
  allowConfigOverride: boolean;
  metadata: Record<string, string>;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  limits: ClaimedLimits;
};

const text = z.string().max(255).nullish();
const names = z
  .union([z.string().transform((list) => list.split(' ')), z.array(z.string())])
  .nullish()
  .transform((list) => list ?? []);

const shape = z.object({
  exp: z.number(),
  organisation_id: text,
  gateway_oid: text,
  workspace_slug: text,
  gateway_workspace: text,
  scope: names,
  scopes: names,
  email_id: text,
  sub: text,
  uid: text,
  defaults: z
    .object({
      config_id: text,
      metadata: z.record(z.string(), z.unknown()).nullish(),
      allow_config_override: z.boolean().nullish(),
    })
    .nullish(),
  usage_limits: usageLimitsClaim,
  rate_limits: rateLimitsClaim,
});
type Given = z.infer<typeof shape>;

/** Reads the claims of a JWT with a valid signature; throws FORBIDDEN for claims that its issuer may not make. */
export function readClaims(payload: JWTPayload, organisationId: string): JwtClaims {
  const parsed = shape.safeParse(payload);
  if (!parsed.success) {
    throw refusal(`The JWT's claim ${parsed.error.issues[0]?.path.join('.')} is not valid.`);
  }
  const given = parsed.data;
  requireOrganisation(given, organisationId);
  const workspace = given.workspace_slug || given.gateway_workspace;
  if (!workspace) throw refusal('The JWT names no workspace: it needs the claim workspace_slug.');
  return {
    workspace,
    userId: given.email_id || given.sub || given.uid || null,
    scopes: scopesOf(given),
    defaultConfig: given.defaults?.config_id || null,
    allowConfigOverride: given.defaults?.allow_config_override ?? true,
    metadata: labels(Object.entries(given.defaults?.metadata ?? {})),
    expiresAt: given.exp * 1000,
    limits: { usage: given.usage_limits, rates: given.rate_limits },
  };
}

const refusal = (message: string) => new GatewayError('FORBIDDEN', { message });

function requireOrganisation({ organisation_id, gateway_oid }: Given, organisationId: string): void {
  for (const claimed of [organisation_id, gateway_oid]) {
    if (claimed && claimed !== organisationId) {
      throw refusal("The JWT's issuer does not speak for the organisation that it names.");
    }
  }
}

/** The scopes that a workspace's service key may hold, with or without `gateway.` before them; others do not count. */
const scopesOf = ({ scope, scopes }: Given): ReadonlySet<Scope> =>
  new Set(
    [...scope, ...scopes]
      .map((name) => name.replace(/^gateway\./, ''))
      .filter((name) => mayHold('workspace-service', name)),
  );
