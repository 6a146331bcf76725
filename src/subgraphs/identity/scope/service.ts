import {
  type ApiKeyType,
  apiKeyTypes,
  holdersOf,
  meaningOf,
  type Principal,
  presetsFor,
  type Scope,
  scopes,
  scopesFor,
} from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { lacks } from '../permission.ts';

/** The vocabulary in the order of families, with what the caller may give of it. */
export function listScopes(context: GraphContext, type: string | null | undefined) {
  const principal = requireCaller(context);
  const asked = typeNamed(type);
  return (asked ? scopesFor(asked) : scopes).toSorted().map((scope) => described(scope, principal));
}

export function listPresets(context: GraphContext, type: string) {
  const principal = requireCaller(context);
  const asked = typeNamed(type);
  if (!asked) return [];
  return presetsFor(asked).map((preset) => ({
    ...preset,
    scopes: [...preset.scopes],
    grantable: preset.scopes.every((scope) => !lacks(principal, scope)),
  }));
}

function described(scope: Scope, principal: Principal) {
  const [family = '', verb = ''] = scope.split('.');
  return {
    ...{ scope, family, verb },
    description: meaningOf(scope),
    heldBy: holdersOf(scope),
    grantable: !lacks(principal, scope),
  };
}

const typeNamed = (name: string | null | undefined): ApiKeyType | undefined =>
  apiKeyTypes.find((type) => type === name);

function requireCaller({ principal }: GraphContext): Principal {
  if (!principal) throw new GatewayError('UNAUTHENTICATED');
  return principal;
}
