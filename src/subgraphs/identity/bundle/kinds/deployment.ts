import { z } from 'zod';
import { changedOf, type Kind } from '../kind.ts';
import { jsonObject, nameText, slugText, textUpTo, workspaceNames, workspaceReferences } from './parts.ts';

const members = ['name', 'description', 'type', 'url', 'mcpUrl', 'config', 'allowAllWorkspaces', 'isDefault'];
const url = z.url().max(2048);

export const deployment: Kind = {
  name: 'Deployment',
  spec: z.strictObject({
    name: nameText,
    description: textUpTo(500),
    type: z.enum(['production', 'non-production']),
    url,
    mcpUrl: url.nullable().default(null),
    config: jsonObject.nullable().default(null),
    allowAllWorkspaces: z.boolean().default(true),
    workspaces: z.array(slugText).max(500).default([]),
    isDefault: z.boolean().default(false),
    status: z.enum(['active', 'archived']).default('active'),
  }),
  fixed: [],
  shared: ['isDefault'],
  selection: `id slug status ${members.join(' ')} allowedWorkspaces(limit: 500) { slug isDefault }`,
  list: { field: 'deployments(status: null, currentPage: $page, pageSize: 100)', pageSize: 100 },
  one: 'deployment(id: $id)',
  read: (node) => ({
    slug: String(node.slug),
    spec: {
      ...Object.fromEntries(members.map((name) => [name, node[name]])),
      status: node.status,
      workspaces: workspaceNames(node.allowedWorkspaces),
    },
  }),
  references: (spec) => workspaceReferences(spec, 'workspaces'),
  async create({ run, names, slug, spec }) {
    const input = {
      ...changedOf(spec, new Set(Object.keys(spec)), members),
      slug,
      allowedWorkspaces: (spec.workspaces as string[]).map(names.workspace),
    };
    const made = await run(
      'mutation ($input: CreateDeploymentInput!) { result: createDeployment(input: $input) { id } }',
      { input },
    );
    const id = String(made.id);
    if (spec.status === 'archived') await updateDeployment(run, id, { status: 'archived' });
    return { id };
  },
  async update({ run, names, spec }, { id }, changed) {
    await updateDeployment(run, id, {
      ...changedOf(spec, changed, [...members, 'status']),
      ...(changed.has('workspaces') && {
        allowedWorkspaces: (spec.workspaces as string[]).map(names.workspace),
      }),
    });
    return undefined;
  },
  remove: (run, { id }) => run('mutation ($id: ID!) { result: deleteDeployment(id: $id) }', { id }),
};

const updateDeployment = (run: Parameters<Kind['remove']>[0], id: string, input: object) =>
  run(
    'mutation ($id: ID!, $input: UpdateDeploymentInput!) { result: updateDeployment(id: $id, input: $input) { id } }',
    { id, input },
  );
