import { errorsPage } from './errors.ts';
import { guardrailChecksPage } from './guardrail-checks.ts';
import { guardrailServicesPages } from './guardrail-services.ts';
import { headersPage } from './headers.ts';
import { metricsPage } from './metrics.ts';
import type { ReferencePage } from './page.ts';
import { providersPage } from './providers-page.ts';
import { scopesPage } from './scopes.ts';
import { settingsPage } from './settings.ts';
import { switchesPage } from './switches.ts';

/** The pages of docs/reference/, as the code has them now. */
export const referencePages = (): ReferencePage[] => [
  settingsPage(),
  headersPage(),
  providersPage(),
  errorsPage(),
  scopesPage(),
  switchesPage(),
  metricsPage(),
  guardrailChecksPage(),
  ...guardrailServicesPages(),
];
