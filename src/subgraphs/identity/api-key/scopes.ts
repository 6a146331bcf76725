import {
  type ApiKeyType,
  isScope,
  mayHold,
  type Principal,
  requireScope,
  type Scope,
} from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { lacks } from '../permission.ts';

export type KeyVerb = 'create' | 'delete' | 'list' | 'read' | 'rotate' | 'update';

/** The scope that an operation needs on keys of a type, e.g. `workspace_user_api_keys.read`. */
export const keyScope = (type: ApiKeyType, verb: KeyVerb): Scope =>
  `${type.replace('-', '_')}_api_keys.${verb}`;

export const requireKeyScope = (principal: Principal | null, type: ApiKeyType, verb: KeyVerb): Principal =>
  requireScope(principal, [keyScope(type, verb)]);

/**
 * The scopes to store on a key. Each must exist, be one that the key's type may hold, and be held by whoever gives it
 * when a credential of that kind could hold it at all: a workspace key cannot give what it lacks, while an organisation
 * key may give `completions.write`, which only workspace keys hold. `field` is where the request names them.
 */
export function grantedScopes(
  principal: Principal,
  type: ApiKeyType,
  requested: readonly string[],
  field = 'input.scopes',
): Scope[] {
  requested.forEach((scope, index) => {
    const param = `${field}[${index}]`;
    const refuse = (message: string) => invalidInput(param, message);
    if (!isScope(scope)) throw refuse(`${param} is not a scope.`);
    if (!mayHold(type, scope)) throw refuse(`A key of type ${type} cannot hold the scope ${scope}.`);
    if (lacks(principal, scope)) {
      throw new GatewayError('FORBIDDEN', {
        message: `The credential cannot give the scope ${scope}, which it lacks.`,
        param,
      });
    }
  });
  return [...new Set(requested)];
}
