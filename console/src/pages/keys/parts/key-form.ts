import { pathOf } from '../../../data/graph-error.ts';
import type { CreateWorkspaceServiceApiKeyInput } from '../documents.ts';
import type { Key } from './columns.tsx';

export type KeyType = 'workspace-service' | 'workspace-user' | 'organisation-service';

/** What somebody has written into the form. */
export type KeyDraft = {
  name: string;
  description: string;
  type: KeyType;
  /** Slug; empty for keys of the organisation. */
  workspace: string;
  scopes: readonly string[];
  /** A time of ISO; null for a key that does not expire. */
  expiresAt: string | null;
  /** US dollars in a month; empty for no budget. */
  budget: string;
  /** Addresses with commas between them. */
  alertEmails: string;
  /** Slug of a config; empty for none. */
  config: string;
};

const DAY_MS = 86_400_000;

export const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

export const emptyDraft = (workspace: string): KeyDraft => ({
  name: '',
  description: '',
  type: workspace === '' ? 'organisation-service' : 'workspace-service',
  workspace,
  scopes: [],
  expiresAt: inDays(90),
  budget: '',
  alertEmails: '',
  config: '',
});

export const draftOf = (key: Key): KeyDraft => ({
  name: key.name,
  description: key.description ?? '',
  type: key.type as KeyType,
  workspace: key.workspace?.slug ?? key.workspaceId ?? '',
  scopes: key.scopes,
  expiresAt: key.expiresAt,
  budget: key.usageLimits?.type === 'cost' ? String(key.usageLimits.creditLimit) : '',
  alertEmails: key.alertEmails.join(', '),
  config: String((key.defaults as { config_id?: string } | null)?.config_id ?? ''),
});

/** What the graph takes for both, a new key and one that is changed. */
export function inputOf(
  draft: KeyDraft,
  before: Key | null,
): Omit<CreateWorkspaceServiceApiKeyInput, 'workspaceId'> {
  const defaults = { ...((before?.defaults as object | null) ?? {}), config_id: draft.config || undefined };
  const emails = draft.alertEmails.split(',').map((email) => email.trim());
  const input = {
    name: draft.name.trim(),
    description: draft.description.trim() || null,
    scopes: [...draft.scopes],
    expiresAt: draft.expiresAt,
    alertEmails: emails.filter(Boolean),
    ...budgetOf(draft, before),
  };
  const hasDefaults = draft.type !== 'organisation-service' && (draft.config || before?.defaults);
  return hasDefaults ? { ...input, defaults } : input;
}

/** A limit that counts something else than money stays as it is: the form knows nothing of it. */
function budgetOf({ budget }: KeyDraft, before: Key | null) {
  const known = before?.usageLimits;
  if (known && known.type !== 'cost') return {};
  const written = budget.trim();
  if (written === (known ? String(known.creditLimit) : '')) return {};
  if (written === '') return { usageLimits: null };
  return { usageLimits: { creditLimit: Number(written), periodicReset: 'monthly' as const } };
}

/** Which field a refusal is about; null for the form as a whole. */
export function fieldOf(param: string | null): keyof KeyDraft | null {
  const [name = ''] = pathOf(param);
  if (name === 'usageLimits') return 'budget';
  if (name === 'defaults') return 'config';
  if (name === 'workspaceId') return 'workspace';
  return fields.find((field) => field === name) ?? null;
}

const fields = ['name', 'description', 'scopes', 'expiresAt', 'alertEmails'] as const;
