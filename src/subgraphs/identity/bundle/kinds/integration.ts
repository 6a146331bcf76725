import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import type { Kind } from '../kind.ts';
import { accessSelection, readLimits, workspaceLimits } from './integration-limits.ts';
import { check, checkUpdate, references, secrets } from './integration-rules.ts';
import { create, update } from './integration-writes.ts';
import { mapped, mappingSelection, type NamedMapping } from './mappings.ts';
import {
  jsonObject,
  nameText,
  slugText,
  tags,
  textUpTo,
  workspaceName,
  workspaceSelection,
} from './parts.ts';

type Node = JsonObject & {
  configurations: JsonObject;
  secretMappings: NamedMapping[];
  models: JsonObject[];
  workspaces: { enabled: boolean; workspace: unknown; usageLimits: JsonObject[]; rateLimits: JsonObject[] }[];
  globalWorkspaceAccessSettings: { enabled: boolean; usageLimits: JsonObject[]; rateLimits: JsonObject[] };
};

const model = z.strictObject({
  slug: nameText,
  enabled: z.boolean().default(true),
  isCustom: z.boolean().default(false),
  isFinetune: z.boolean().default(false),
  baseModelSlug: z.string().min(1).max(255).nullable().default(null),
  configurations: jsonObject.default({}),
  pricingConfig: jsonObject.nullable().default(null),
});

const sharedWith = ({ workspaces }: Node, wanted: boolean) =>
  workspaces
    .flatMap(({ enabled, workspace }) => (enabled === wanted ? (workspaceName(workspace) ?? []) : []))
    .sort();

function read(answer: JsonObject) {
  const node = answer as Node;
  const { key = null, ...settings } = mapped(node.secretMappings);
  const models = node.models.map(({ name: _name, ...rest }) => rest);
  return {
    slug: String(node.slug),
    spec: {
      workspace: workspaceName(node.workspace),
      name: node.name,
      description: node.description,
      aiProviderId: node.aiProviderId,
      key: key ?? node.maskedKey,
      configurations: { ...node.configurations, ...settings },
      allowAllModels: node.allowAllModels,
      models: models.sort((one, other) => (String(one.slug) < String(other.slug) ? -1 : 1)),
      allWorkspaces: node.globalWorkspaceAccessSettings.enabled,
      workspaces: sharedWith(node, true),
      deniedWorkspaces: sharedWith(node, false),
      workspaceLimits: readLimits(node),
      pricingAdjustments: node.pricingAdjustments,
      tags: node.tags,
    },
  };
}

export const integration: Kind = {
  name: 'Integration',
  spec: z.strictObject({
    workspace: slugText.nullable().default(null),
    name: nameText,
    description: textUpTo(1000),
    aiProviderId: nameText,
    key: z.json().default(null),
    configurations: jsonObject.default({}),
    allowAllModels: z.boolean().default(true),
    models: z.array(model).max(2000).default([]),
    allWorkspaces: z.boolean().default(true),
    workspaces: z.array(slugText).max(2000).default([]),
    deniedWorkspaces: z.array(slugText).max(2000).default([]),
    workspaceLimits,
    pricingAdjustments: jsonObject.nullable().default(null),
    tags,
  }),
  fixed: ['workspace', 'aiProviderId'],
  selection: `id slug name description aiProviderId maskedKey configurations allowAllModels pricingAdjustments tags
    models(limit: 2000) { slug enabled isCustom isFinetune baseModelSlug configurations pricingConfig }
    ${accessSelection(workspaceSelection)} ${mappingSelection} ${workspaceSelection}`,
  list: { field: 'integrations(currentPage: $page, pageSize: 1000)', pageSize: 1000 },
  one: 'integration(id: $id)',
  read,
  references,
  secrets,
  check,
  checkUpdate,
  create,
  update,
  remove: (run, { id }) => run('mutation ($id: ID!) { result: deleteIntegration(id: $id) }', { id }),
};
