import type { GuardrailCheck, ParameterProblem, PreparedCheck, RunCheck } from './check.ts';
import { mapSecretParameters, type ParameterPath } from './secret-parameters.ts';

/** A secret of a manager, as a credential of a check names it: by its secret reference, and by a member of the secret. */
export type NamedSecret = {
  /** The slug of the reference, or its id. */
  readonly reference: string;
  /** Null for the one that the reference names. */
  readonly member: string | null;
};

/** Reads the present value of a secret. Rejects with an Error whose message may be shown to the caller. */
export type ReadSecret = (named: NamedSecret) => Promise<string>;

/** For guardrails that are only judged, and never run. */
export const noSecrets: ReadSecret = () => Promise.reject(new Error('No secret is read for this guardrail.'));

const FORM = /^secret-reference:([^#]*)(?:#(.+))?$/s;

/** The secret that a text names which stands where a check takes a credential; null for a credential itself. */
export function namedSecret(text: string): NamedSecret | null {
  const [, reference, member = null] = FORM.exec(text) ?? [];
  return reference === undefined ? null : { reference, member };
}

/** The text that names a secret. */
export const secretNameText = ({ reference, member }: NamedSecret): string =>
  `secret-reference:${reference}${member === null ? '' : `#${member}`}`;

/** The secrets that a check's parameters name, and where. */
export function secretsNamedIn(
  checkId: string,
  parameters: Readonly<Record<string, unknown>>,
): { named: NamedSecret; text: string; path: ParameterPath }[] {
  const found: { named: NamedSecret; text: string; path: ParameterPath }[] = [];
  mapSecretParameters(checkId, parameters, (text, path) => {
    const named = namedSecret(text);
    if (named) found.push({ named, text, path });
    return text;
  });
  return found;
}

/** Why a check cannot have the secrets that its parameters name; null where it can, or names none. */
export function secretProblem(
  check: GuardrailCheck,
  parameters: Readonly<Record<string, unknown>>,
  read: ReadSecret | undefined,
): ParameterProblem | null {
  const [first] = secretsNamedIn(check.id, parameters);
  if (!first) return null;
  const { path } = first;
  if (!read) return { path, message: 'names a secret reference, which only saved guardrails may' };
  return check.isRemote ? null : { path, message: `names a secret reference, and ${check.id} asks nobody` };
}

/** A check that runs with the values that its secrets have at that moment. */
export function withSecrets(
  prepared: PreparedCheck,
  parameters: Readonly<Record<string, unknown>>,
  read: ReadSecret | undefined,
): PreparedCheck {
  const named = secretsNamedIn(prepared.check.id, parameters).length > 0;
  return named && read ? { ...prepared, run: runWith(prepared.check, parameters, read) } : prepared;
}

/** The check is prepared anew when one of its secrets has changed. */
function runWith(
  check: GuardrailCheck,
  parameters: Readonly<Record<string, unknown>>,
  read: ReadSecret,
): RunCheck {
  const texts = new Map(secretsNamedIn(check.id, parameters).map(({ text, named }) => [text, named]));
  let last: { values: string; run: RunCheck } | null = null;
  return async (input, services) => {
    const values = new Map(
      await Promise.all([...texts].map(async ([text, named]) => [text, await read(named)] as const)),
    );
    const state = JSON.stringify([...values]);
    if (last?.values !== state) {
      const change = (text: string) => values.get(text) ?? text;
      const prepared = check.prepare(mapSecretParameters(check.id, parameters, change));
      if ('problems' in prepared)
        throw new Error(`A secret is no credential for the check: ${prepared.problems[0]?.message}`);
      last = { values: state, run: prepared.run };
    }
    return last.run(input, services);
  };
}
