import type { Limit } from '../../../limits/limit.ts';
import type { LimitOwner } from '../../limits/to-limit.ts';
import type { StoredPolicy } from './stored.ts';

/** The workspace of policies: conditions may name it by its slug, and calls know its id. */
export type PolicyWorkspace = { _id: string; slug: string };

export const policyOwner = ({ _id, organisationId, workspaceId, name }: StoredPolicy): LimitOwner => ({
  level: 'policy',
  id: _id,
  organisationId,
  workspaceId,
  name: name ?? _id,
});

/** What sets the limit of a policy apart from those of other owners. */
export const policyFacts = (
  { conditions, groupBy }: StoredPolicy,
  workspace: PolicyWorkspace,
): Pick<Limit, 'conditions' | 'groupBy'> => ({
  conditions: conditions.map(({ key, value, excludes }) => {
    const named = (texts: string | string[] | undefined) => {
      const list = texts === undefined ? [] : typeof texts === 'string' ? [texts] : texts;
      return key === 'workspace_id'
        ? list.map((text) => (text === workspace.slug ? workspace._id : text))
        : list;
    };
    return { key, values: named(value), excludes: named(excludes) };
  }),
  groupBy: groupBy.map(({ key }) => key),
});
