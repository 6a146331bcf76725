import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import type { Problem, SpecReference } from '../kind.ts';
import {
  rateDocuments,
  rateLimits,
  rateSelection,
  usageDocuments,
  usageInput,
  usageLimits,
  usageSelection,
} from './limits.ts';
import { slugText, workspaceName } from './parts.ts';

/** Limits of a workspace at an integration; `workspace` is null for those of each workspace without an entry of its own. */
type WorkspaceLimits = { workspace: string | null; usageLimits: JsonObject[]; rateLimits: JsonObject[] };
type LimitsNode = { usageLimits: JsonObject[]; rateLimits: JsonObject[] };
type LimitedNode = {
  workspaces: (LimitsNode & { workspace: unknown })[];
  globalWorkspaceAccessSettings: LimitsNode;
};

const limitsSelection = `usageLimits { ${usageSelection} } rateLimits { ${rateSelection} }`;
export const accessSelection = (workspace: string) =>
  `globalWorkspaceAccessSettings { enabled ${limitsSelection} } workspaces(limit: 2000) { enabled ${limitsSelection} ${workspace} }`;

const hasLimits = ({ usageLimits: usage, rateLimits: rates }: LimitsNode) => usage.length + rates.length > 0;
const name = ({ workspace }: WorkspaceLimits) => workspace ?? '';
/** An entry without limits says nothing. */
const told = (all: WorkspaceLimits[]): WorkspaceLimits[] =>
  all.filter(hasLimits).sort((one, other) => (name(one) < name(other) ? -1 : 1));

export const workspaceLimits = z
  .array(z.strictObject({ workspace: slugText.nullable().default(null), usageLimits, rateLimits }))
  .max(2001)
  .superRefine((all, { addIssue }) => {
    const seen = new Set<string | null>();
    for (const [index, { workspace }] of all.entries()) {
      if (seen.has(workspace))
        addIssue({
          code: 'custom',
          path: [index, 'workspace'],
          message: 'must be another one than those before it',
        });
      seen.add(workspace);
    }
  })
  .transform((all) => told(all as WorkspaceLimits[]))
  .default([]);

const documents = (workspace: string | null, { usageLimits: usage, rateLimits: rates }: LimitsNode) => ({
  workspace,
  usageLimits: usageDocuments(usage),
  rateLimits: rateDocuments(rates),
});

export const readLimits = ({ workspaces, globalWorkspaceAccessSettings }: LimitedNode): WorkspaceLimits[] =>
  told([
    documents(null, globalWorkspaceAccessSettings),
    ...workspaces.flatMap(({ workspace, ...limits }) => {
      const slug = workspaceName(workspace);
      return slug === null ? [] : [documents(slug, limits)];
    }),
  ]);

const given = (spec: JsonObject) => spec.workspaceLimits as WorkspaceLimits[];

export const limitReferences = (spec: JsonObject): SpecReference[] =>
  given(spec).flatMap(({ workspace }) =>
    workspace === null ? [] : [{ kind: 'Workspace', key: workspace, path: ['workspaceLimits'] } as const],
  );

/** Each is about a workspace with an entry. */
export function checkLimits(spec: JsonObject): Problem[] {
  const listed = new Set([...(spec.workspaces as string[]), ...(spec.deniedWorkspaces as string[])]);
  return given(spec).flatMap(({ workspace }) =>
    workspace === null || listed.has(workspace)
      ? []
      : [
          {
            path: ['workspaceLimits'],
            message: `names ${workspace}, which is in neither workspaces nor deniedWorkspaces.`,
          },
        ],
  );
}

/**
 * What the operation takes as the limits of a workspace's entry, or of all without an entry for null. `node`: what the graph
 * answers for the integration; null for a new one.
 */
export function limitInput(spec: JsonObject, workspace: string | null, node: LimitedNode | null): JsonObject {
  const limits = given(spec).find((each) => each.workspace === workspace);
  const shown =
    workspace === null
      ? node?.globalWorkspaceAccessSettings
      : node?.workspaces.find((each) => workspaceName(each.workspace) === workspace);
  const usage = (limits?.usageLimits ?? []).map((limit) => usageInput(limit, shown?.usageLimits ?? []));
  const rates = limits?.rateLimits ?? [];
  return {
    usageLimits: usage.length > 0 ? usage : null,
    rateLimits: rates.length > 0 ? rates : null,
  };
}
