import { switches, switchNames } from '../../src/auth/index.ts';
import { meaningOfSwitch } from '../codegen/switch-schema.ts';
import { code, page, type ReferencePage, tableOf } from './page.ts';

/** The switches of organisations, with what they take away and give. */
export function switchesPage(): ReferencePage {
  const rows = switchNames.map((name) => {
    const { area, isOnByDefault, takes, gives, hidesOthersRequests, isOverridable } = switches[name];
    const effects = [
      ...(takes ? [`off takes ${takes.map(code).join(', ')}`] : []),
      ...(gives ? [`on gives ${gives.map(code).join(', ')}`] : []),
      ...(hidesOthersRequests ? ["off hides the requests of all but the user's own keys"] : []),
    ];
    return [
      code(name),
      area,
      meaningOfSwitch(name),
      isOnByDefault ? 'on' : 'off',
      isOverridable ? 'yes' : 'no',
      effects.join('; '),
    ];
  });
  return page(
    'switches',
    'Switches of an organisation',
    'src/auth/switches/table.ts',
    [
      'What an organisation lets roles do and see; [identity.md](../identity.md#switches) tells how they are set. Owners, and',
      'admins of workspaces, are restricted by none.',
      '',
      tableOf(
        ['switch', 'area', 'meaning', 'at first', 'a workspace may differ', 'effect on the role'],
        rows,
      ),
    ].join('\n'),
  );
}
