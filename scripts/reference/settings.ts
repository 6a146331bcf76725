import { environmentOf } from '../../src/settings/environment.ts';
import { anyHouse } from '../../src/settings/house.ts';
import { code, page, type ReferencePage, tableOf } from './page.ts';

/** What a setting is when its variable is not set, as a reader would write it; null where that is nothing. */
function defaultOf(schema: {
  safeParse(value: undefined): { success: boolean; data?: unknown };
}): string | null {
  const { data } = schema.safeParse(undefined);
  if (data === undefined || data === null) return null;
  if (typeof data === 'object') return Object.keys(data).length === 0 ? null : JSON.stringify(data);
  return String(data);
}

/** `docs/graph.md` in a description becomes a link. */
const withLinks = (text: string) => text.replace(/\bdocs\/([\w-]+\.md)/g, '[$1](../$1)');

/** Every environment variable that the service reads. */
export function settingsPage(): ReferencePage {
  const rows = Object.entries(environmentOf(anyHouse).shape).map(([name, schema]) => {
    const { description, unset } = schema.meta() ?? {};
    if (!description) throw new Error(`The setting ${name} has no description.`);
    const fixed = defaultOf(schema);
    const shown = typeof unset === 'string' ? unset : fixed === null ? '–' : code(fixed);
    return [code(name), shown, withLinks(description)];
  });
  return page(
    'settings',
    'Settings',
    'src/settings/environment.ts',
    [
      'Environment variables. A wrong one stops the start, and all mistakes are reported together. An empty variable counts as',
      'not set.',
      '',
      tableOf(['variable', 'default', 'meaning'], rows),
    ].join('\n'),
  );
}
