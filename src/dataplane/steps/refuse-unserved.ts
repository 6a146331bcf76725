import { GatewayError } from '../../errors/index.ts';
import type { Endpoint } from '../../providers/index.ts';
import type { Call } from '../call/call.ts';
import { headerProvider } from '../target/named-provider.ts';
import type { CallStep } from './call-step.ts';

/** Refuses what no provider may be asked here: realtime without a WebSocket, and what the gateway itself would have to keep. */
export const refuseUnserved: CallStep = (call) => {
  const { endpoint } = call.route;
  // A request that asks for a WebSocket goes to `realtime/` and never comes here.
  if (endpoint === 'realtime') throw new GatewayError('UPGRADE_REQUIRED');
  if (keptEndpoints.has(endpoint)) refuseManaged(call);
};

const keptEndpoints: ReadonlySet<Endpoint> = new Set(['files', 'batches', 'batchOutput', 'fineTuning']);

/**
 * Refuses files, batches and jobs that the gateway itself would keep: a provider that is asked for one would answer as if
 * the file were gone.
 */
function refuseManaged(call: Call): void {
  const file = call.body.kind === 'json' ? call.body.value.input_file_id : undefined;
  const isManaged =
    headerProvider(call) === 'gateway' ||
    /\/gw_(?:file|batch)_/.test(call.path) ||
    (typeof file === 'string' && file.startsWith('gw_file_'));
  if (!isManaged) return;
  throw new GatewayError('UNSUPPORTED_ENDPOINT', {
    message:
      'The gateway keeps no fine-tuning jobs, and its own files and batches are asked for without a provider: name the ' +
      'provider that holds what you want.',
    param: 'x-gateway-provider',
  });
}
