import type { GuardrailCheck } from '../check.ts';
import { promptInjection } from './injection/prompt-injection.ts';
import { jwt } from './jwt/index.ts';
import { languageChecks } from './language/index.ts';
import { modelChecks } from './models/index.ts';
import { partnerChecks } from './partners/index.ts';
import { pii } from './personal-data/pii.ts';
import { remoteChecks } from './remote/index.ts';
import { requestChecks } from './request/index.ts';
import { secrets } from './secrets/secrets.ts';
import { textChecks } from './text/index.ts';

/** All kinds of checks. A new one is a file of its own in a folder here, and its place in that folder's list. */
export const allChecks: readonly GuardrailCheck[] = [
  ...requestChecks,
  jwt,
  ...textChecks,
  pii,
  secrets,
  promptInjection,
  ...languageChecks,
  ...modelChecks,
  ...remoteChecks,
  ...partnerChecks,
];

const byId = new Map(
  allChecks.flatMap((check) => [check.id, ...check.aliases].map((id) => [id, check] as const)),
);

export const checkOf = (id: string): GuardrailCheck | undefined => byId.get(id);
