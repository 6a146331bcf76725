import { builtInRoles } from '../../../auth/index.ts';
import type { RoleDocument } from './model.ts';

/** A role as it is shown; a built-in one has no times. */
export type ShownRole = Pick<RoleDocument, '_id' | 'slug' | 'name' | 'description' | 'permissions'> & {
  createdAt: Date | null;
  lastUpdatedAt: Date | null;
};

/** `view_only_admin` -> `View only admin` */
const nameOf = (slug: string) => slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll('_', ' ');

const shown = new Map<string, ShownRole>(
  [...builtInRoles].map(([slug, permissions]) => [
    slug,
    {
      _id: slug,
      slug,
      name: nameOf(slug),
      description: null,
      permissions: [...permissions],
      createdAt: null,
      lastUpdatedAt: null,
    },
  ]),
);

export const builtInRole = (id: string): ShownRole | undefined => shown.get(id);

/** Built-in roles with this part in their name, in any case. */
export const builtInRolesNamed = (name: string | null | undefined): ShownRole[] =>
  [...shown.values()].filter((role) => role.name.toLowerCase().includes((name ?? '').toLowerCase()));
