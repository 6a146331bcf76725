import {
  type ApiKeyType,
  isScope,
  mayHold,
  type Principal,
  requireScope,
  type Scope,
  scopesFor,
} from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { lacks } from '../permission.ts';
import { misplacedScope, unknownScope } from './scope-refusals.ts';

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
    if (!isScope(scope)) throw invalidInput(param, unknownScope(scope, scopesFor(type)));
    if (!mayHold(type, scope)) throw invalidInput(param, misplacedScope(scope, type));
    if (lacks(principal, scope)) {
      throw new GatewayError('FORBIDDEN', {
        message: `The credential cannot give the scope ${scope}, which it lacks.`,
        param,
      });
    }
  });
  return [...new Set(requested)];
}
