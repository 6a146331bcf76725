import { GatewayError } from '../../errors/index.ts';
import type { Endpoint } from '../../providers/index.ts';
import type { Call } from '../call/call.ts';
import { headerProvider } from '../target/named-provider.ts';

const endpoints: ReadonlySet<Endpoint> = new Set(['files', 'batches', 'batchOutput', 'fineTuning']);

/**
 * Refuses files, batches and jobs that the gateway itself would keep (spec/data-plane.md, section 10.4, "Managed mode"):
 * to send them to a provider would look like a file that is gone.
 */
export function refuseManaged(call: Call): void {
  if (!endpoints.has(call.route.endpoint)) return;
  const file = call.body.kind === 'json' ? call.body.value.input_file_id : undefined;
  const isManaged =
    headerProvider(call) === 'gateway' ||
    /\/gw_(?:file|batch)_/.test(call.path) ||
    (typeof file === 'string' && file.startsWith('gw_file_'));
  if (!isManaged) return;
  throw new GatewayError('UNSUPPORTED_ENDPOINT', {
    message:
      'The gateway keeps no files, batches and fine-tuning jobs of its own: name the provider that holds them.',
    param: 'x-gateway-provider',
  });
}
