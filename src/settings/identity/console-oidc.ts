import { z } from 'zod';
import { jsonText, plainUrl } from '../json-setting.ts';

/** The identity provider at which people sign in to the console. */
export type ConsoleOidc = {
  issuer: string;
  clientId: string;
  /** Null for a public client, which proves itself by PKCE alone. */
  clientSecret: string | null;
  /** Whose users sign in; null for the organisation that the first start has made. */
  organisationId: string | null;
  scope: string;
  /** Lower case. Addresses of other domains are refused, whatever the provider says of them. */
  allowedDomains: readonly string[];
  /** Whether somebody whose address no user has becomes a member of the organisation. */
  createMembers: boolean;
  /** The claim that lists the groups of a person. */
  groupsClaim: string;
  /** Roles in the organisation by group; empty leaves roles as they are. */
  groupRoles: ReadonlyMap<string, 'admin' | 'member'>;
};

const name = z.string().min(1).max(2048);
const domain = z
  .string()
  .max(253)
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a domain in lower case, such as example.com');

/** The environment variable's JSON; every mistake in it is reported, values never are. */
export const consoleOidc = jsonText
  .pipe(
    z.strictObject({
      issuer: plainUrl,
      client_id: name,
      client_secret: name.optional(),
      organisation_id: z.string().min(1).max(255).optional(),
      scope: name.default('openid email profile'),
      allowed_domains: z.array(domain).min(1).max(100),
      create_members: z.boolean().default(false),
      groups_claim: name.default('groups'),
      group_roles: z.record(name, z.enum(['admin', 'member'])).default({}),
    }),
  )
  .transform(
    (given): ConsoleOidc => ({
      issuer: given.issuer,
      clientId: given.client_id,
      clientSecret: given.client_secret ?? null,
      organisationId: given.organisation_id ?? null,
      scope: given.scope,
      allowedDomains: given.allowed_domains,
      createMembers: given.create_members,
      groupsClaim: given.groups_claim,
      groupRoles: new Map(Object.entries(given.group_roles)),
    }),
  );
