import { requireScope } from '../../auth/index.ts';
import { GatewayError } from '../../errors/index.ts';
import type { Step } from '../step.ts';

/** The scopes of which a call needs one. */
export const MODEL_SCOPES = ['models.list', 'completions.write', 'virtual_keys.list'];
export const INFERENCE_SCOPES = ['completions.write'];

export const authorise: Step = (call) => {
  requireScope(call.key.principal, call.route.endpoint === 'models' ? MODEL_SCOPES : INFERENCE_SCOPES);
  if (!call.route.methods.includes(call.method)) {
    call.response.setHeader('allow', call.route.methods.join(', '));
    throw new GatewayError('METHOD_NOT_ALLOWED', {
      message: `This path takes ${call.route.methods.join(', ')}.`,
    });
  }
};
