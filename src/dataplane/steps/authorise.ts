import { requireScope } from '../../auth/index.ts';
import { GatewayError } from '../../errors/index.ts';
import { allowOf, type Route } from '../call/routes.ts';
import type { CallStep } from './call-step.ts';

const MODEL_SCOPES = ['models.list', 'completions.write', 'virtual_keys.list'];
const INFERENCE_SCOPES = ['completions.write'];

/** The scopes of which a call needs one: to see what models there are takes less than to use or delete one. */
export const scopesOf = ({ endpoint }: Route, method: string): readonly string[] =>
  endpoint === 'models' && method === 'GET' ? MODEL_SCOPES : INFERENCE_SCOPES;

export const authorise: CallStep = (call) => {
  requireScope(call.key.principal, scopesOf(call.route, call.method));
  if (!call.route.methods.includes(call.method)) {
    const allow = allowOf(call.route);
    call.response.setHeader('allow', allow);
    throw new GatewayError('METHOD_NOT_ALLOWED', { message: `This path takes ${allow}.` });
  }
};
