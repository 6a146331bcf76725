import { page, type ReferencePage } from './page.ts';
import { providersTable } from './providers.ts';

/** What each provider is asked, and the settings that it takes. */
export const providersPage = (): ReferencePage =>
  page(
    'providers',
    'Providers',
    'src/providers',
    [
      'What each provider is asked, and the settings that it takes beside the key. [providers.md](../providers.md) says where settings',
      'are given and what they mean.',
      '',
      providersTable(),
    ].join('\n'),
  );
