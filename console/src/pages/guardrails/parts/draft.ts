import { pathOf } from '../../../data/graph-error.ts';
import { isSchema, missingOf, type Schema, valueIn, type Written, writtenOf } from '../../../ui/index.ts';
import type {
  GuardrailActionsInput,
  GuardrailCatalogueQuery,
  GuardrailCheckInput,
  GuardrailShownQuery,
} from '../documents.ts';

export type CheckKind = NonNullable<GuardrailCatalogueQuery['guardrailChecks']>[number];
export type StoredGuardrail = NonNullable<GuardrailShownQuery['guardrail']>;
export type Kinds = ReadonlyMap<string, CheckKind>;

export type CheckDraft = {
  key: number;
  id: string;
  name: string | null;
  isEnabled: boolean;
  written: Written;
};
export type GuardrailDraft = { name: string; checks: readonly CheckDraft[]; actions: GuardrailActionsInput };

export const schemaOf = (kind: CheckKind | undefined): Schema =>
  isSchema(kind?.parameters) ? kind.parameters : {};

let checks = 0;
export const blankCheck = (id: string): CheckDraft => ({
  key: checks++,
  id,
  name: null,
  isEnabled: true,
  written: {},
});

export const blankGuardrail: GuardrailDraft = { name: '', checks: [], actions: { deny: true } };

export const draftOf = ({ name, checks: own, actions }: StoredGuardrail, kinds: Kinds): GuardrailDraft => ({
  name,
  actions: actions as GuardrailActionsInput,
  checks: own.map(({ id, name: label, isEnabled, parameters }) => ({
    ...blankCheck(id),
    ...{ name: label, isEnabled, written: writtenOf(schemaOf(kinds.get(id)), parameters) },
  })),
});

export const checksIn = ({ checks: own }: GuardrailDraft, kinds: Kinds): GuardrailCheckInput[] =>
  own.map(({ id, name, isEnabled, written }) => ({
    ...{ id, name, isEnabled },
    parameters: valueIn(schemaOf(kinds.get(id)), written),
  }));

/** What has to be filled in first, as a sentence; null where everything is there. */
export function missingIn({ name, checks: own }: GuardrailDraft, kinds: Kinds): string | null {
  if (name.trim() === '') return 'Give it a name.';
  if (own.length === 0) return 'Add a check.';
  const gaps = own.flatMap(({ id, written }) => missingOf(schemaOf(kinds.get(id)), written) ?? []);
  return gaps[0] === undefined ? null : `${gaps[0]} is missing.`;
}

/** The check, by its place, and the parameter that a refusal is about. */
export function placeOf(param: string | null): { check: number; parameter: string } | null {
  const path = pathOf(param);
  const at = path.indexOf('checks');
  const check = Number(path[at + 1]);
  return at < 0 || Number.isNaN(check) ? null : { check, parameter: path[at + 3] ?? '' };
}
