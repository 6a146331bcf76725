import type { BundleKind } from '../../../types.generated.ts';
import type { Kind } from '../kind.ts';
import { accessPolicy } from './access-policy.ts';
import { apiKey } from './api-key.ts';
import { config } from './config.ts';
import { deployment } from './deployment.ts';
import { guardrail } from './guardrail.ts';
import { integration } from './integration.ts';
import { rateLimitPolicy, usageLimitPolicy } from './limit-policy.ts';
import { provider } from './provider.ts';
import { role } from './role.ts';
import { secretReference } from './secret-reference.ts';
import { serviceAccount } from './service-account.ts';
import { workspace } from './workspace.ts';

/** Each after all that it may refer to, so that no document can refer to itself around others. */
export const kinds: readonly Kind[] = [
  workspace,
  secretReference,
  integration,
  provider,
  guardrail,
  config,
  deployment,
  role,
  serviceAccount,
  accessPolicy,
  apiKey,
  usageLimitPolicy,
  rateLimitPolicy,
];

const byName = new Map<string, Kind>(kinds.map((kind) => [kind.name, kind]));

export const kindNamed = (name: string): Kind | undefined => byName.get(name);

export const orderOfKind = (name: BundleKind): number => kinds.findIndex((kind) => kind.name === name);
