import { z } from 'zod';
import { builtInRoles } from '../../../../auth/index.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { DEFAULT_WORKSPACE, type DocumentNames, type Kind, type RunField } from '../kind.ts';
import { slugText, workspaceName, workspaceReferences, workspaceSelection } from './parts.ts';

type Principal = string | { serviceAccount: string };

/** Service accounts and roles of the tenant itself are named without it, so that documents fit another tenant. */
const principalName = (principal: string, { tsgId, serviceAccountDomain }: DocumentNames): Principal => {
  const own = `@${tsgId}.iam.${serviceAccountDomain}`;
  return principal.endsWith(own) ? { serviceAccount: principal.slice(0, -own.length) } : principal;
};

const inputOf = (spec: JsonObject, { tsgId, serviceAccountDomain, ...names }: DocumentNames) => {
  const principal = spec.principal as Principal;
  const role = String(spec.role);
  return {
    principal:
      typeof principal === 'string'
        ? principal
        : `${principal.serviceAccount}@${tsgId}.iam.${serviceAccountDomain}`,
    role: builtInRoles.has(role) || role.includes(':') ? role : `${role}:${tsgId}`,
    resource: `prn:${tsgId}::::${names.workspaceOrNone(spec.workspace) ?? ''}`,
  };
};

const remove = (run: RunField, { id }: { id: string }) =>
  run('mutation ($id: ID!) { result: deleteAccessPolicy(id: $id) }', { id });

export const accessPolicy: Kind = {
  name: 'AccessPolicy',
  spec: z.strictObject({
    principal: z.union([z.email().max(320), z.strictObject({ serviceAccount: z.string().min(1).max(63) })]),
    role: z.string().min(1).max(80),
    workspace: slugText.nullable().default(null),
  }),
  fixed: [],
  selection: `id principal role workspaceId ${workspaceSelection}`,
  list: { field: 'accessPolicies(currentPage: $page, pageSize: 1000)', pageSize: 1000 },
  one: 'accessPolicy(id: $id)',
  read: ({ principal, role, workspace }, names) => ({
    slug: null,
    spec: {
      principal: principalName(String(principal), names),
      role: String(role).endsWith(`:${names.tsgId}`) ? String(role).split(':')[0] : role,
      workspace: workspaceName(workspace),
    },
  }),
  slugOf({ principal, role, workspace }) {
    const named = principal as Principal;
    const who = typeof named === 'string' ? named : named.serviceAccount;
    return `${who}-${role}${workspace === null ? '' : `-${workspace === DEFAULT_WORKSPACE ? 'in-default' : workspace}`}`;
  },
  isUniqueBySpec: true,
  references(spec) {
    const principal = spec.principal as Principal;
    const role = String(spec.role);
    return [
      ...workspaceReferences(spec, 'workspace'),
      ...(builtInRoles.has(role) || role.includes(':')
        ? []
        : [{ kind: 'Role' as const, key: role, path: ['role'] }]),
      ...(typeof principal === 'string'
        ? []
        : [
            {
              kind: 'ServiceAccount' as const,
              key: principal.serviceAccount,
              path: ['principal', 'serviceAccount'],
            },
          ]),
    ];
  },
  async create({ run, names, spec }) {
    const made = await run(
      'mutation ($input: CreateAccessPolicyInput!) { result: createAccessPolicy(input: $input) { id } }',
      { input: inputOf(spec, names) },
    );
    return { id: String(made.id) };
  },
  // The new one comes first: whoever needs it has one of them at any time. The old one never changes, it can only be gone.
  async update(write, present) {
    const { id } = await accessPolicy.create(write);
    try {
      await remove(write.run, present);
    } catch (error) {
      await remove(write.run, { id });
      throw error;
    }
    return id;
  },
  remove,
};
