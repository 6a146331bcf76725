import { GatewayError } from '../../../errors/index.ts';
import {
  type GuardrailDefinition,
  type GuardrailProblem,
  parseGuardrail,
  problemsOf,
} from '../../../guardrails/index.ts';
import { isNestedDeeperThan, maxDepth } from '../../../lib/storable.ts';
import type { GuardrailActionsInput, GuardrailCheckInput } from '../../types.generated.ts';
import { restoreMasked } from './sealing.ts';

/** Checks and actions of a guardrail. */
export type GuardrailContent = Pick<GuardrailDefinition, 'checks' | 'actions'>;

/** The most characters of a guardrail's checks as JSON: room for long lists of words. */
const MAX_CHARACTERS = 256 * 1024;

/** What an input brings; what is absent stays as it is. */
type Given = {
  checks?: readonly GuardrailCheckInput[] | null;
  actions?: GuardrailActionsInput | null;
};

/** The content so far, in the clear, and whose guardrail it is. */
type Ground = { present: GuardrailContent | null; isOfOrganisation: boolean };

/**
 * Checks and actions in the clear, masks replaced by what is stored. Throws VALIDATION_FAILED, naming each place, for what
 * cannot be used.
 */
export function contentOf(
  { checks, actions }: Given,
  { present, isOfOrganisation }: Ground,
): GuardrailContent {
  requireBounded(checks ?? []);
  const parsed = parseGuardrail({
    checks: checks?.map(writtenCheck) ?? present?.checks,
    actions: actions ? writtenActions(actions) : present?.actions,
  });
  if ('problems' in parsed) throw invalidGuardrail(parsed.problems);
  const definition = {
    ...parsed.definition,
    checks: restoreMasked(parsed.definition.checks, present?.checks ?? []),
  };
  requireSound(definition, isOfOrganisation);
  return definition;
}

/** Throws VALIDATION_FAILED for checks and actions that can be used in neither direction. */
export function requireSound(content: GuardrailContent, isOfOrganisation: boolean): void {
  const problems = problemsOf(content, isOfOrganisation ? 'organisation' : 'workspace');
  if (problems.length > 0) throw invalidGuardrail(problems);
}

function requireBounded(checks: readonly GuardrailCheckInput[]): void {
  if (isNestedDeeperThan(maxDepth, checks))
    throw invalidGuardrail([{ path: 'checks', message: `must be nested at most ${maxDepth} levels` }]);
  if (JSON.stringify(checks).length > MAX_CHARACTERS)
    throw invalidGuardrail([{ path: 'checks', message: `must have at most ${MAX_CHARACTERS} characters` }]);
}

/** In the spelling of configs. */
const writtenCheck = ({ id, name, parameters, isEnabled }: GuardrailCheckInput) => ({
  id,
  ...(parameters != null && { parameters }),
  ...(name != null && { name }),
  ...(isEnabled != null && { is_enabled: isEnabled }),
});

function writtenActions(actions: GuardrailActionsInput) {
  const { softDeny_200, onSuccess, onFail, onUnreadable, ...same } = actions;
  return present({
    ...same,
    soft_deny_200: softDeny_200,
    on_success: writtenConsequence(onSuccess, 5),
    on_fail: writtenConsequence(onFail, -5),
    on_unreadable: onUnreadable,
  });
}

type Consequence = GuardrailActionsInput['onSuccess'] | GuardrailActionsInput['onFail'];

/** `value`: of feedback that names none. */
const writtenConsequence = (consequence: Consequence, value: number) =>
  consequence &&
  present({ feedback: consequence.feedback && { value, ...present({ ...consequence.feedback }) } });

const present = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));

/** What is wrong with a guardrail, each line under the name that the place has in an input. */
export function invalidGuardrail(problems: readonly GuardrailProblem[]): GatewayError {
  const lines = problems.map(({ path, message }) => `${spelled(path)} ${message}`);
  const [first = ''] = lines;
  return new GatewayError('VALIDATION_FAILED', {
    message: `${first}${lines.length > 1 ? ` (and ${lines.length - 1} more)` : ''}`,
    param: problems[0] && spelled(problems[0].path),
    errors: lines,
  });
}

/** `input.actions.onFail.feedback` for `actions.on_fail.feedback`; below parameters names are the caller's own. */
function spelled(path: string): string {
  const [own = '', ...below] = path.split(/(?<=\.parameters)(?=\.|\[|$)/);
  const inSchema = own.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return `input.${[inSchema, ...below].join('')}`;
}
