import { type ErrorName, GatewayError } from '../../errors/index.ts';
import { headerOf } from '../../lib/http/headers.ts';
import { addressSettings, headerOfSetting } from '../../providers/index.ts';
import type { Call } from '../call/call.ts';
import type { CallStep } from './call-step.ts';

/** Headers by which a request chooses where a provider is. */
const addressHeaders = addressSettings.map(headerOfSetting);

/** Where only saved configs and providers are used, refuses what a request brings along. */
export const requireSaved: CallStep = (call, { savedConfigsOnly }) => {
  if (!savedConfigsOnly && !call.key.savedConfigsOnly) return;
  refuse(call, 'x-gateway-config', 'INLINE_CONFIG_BLOCKED', (value) => /^[[{"]/.test(value));
  refuse(call, 'x-gateway-provider', 'INLINE_PROVIDER_BLOCKED', (value) => !value.startsWith('@'));
  refuse(call, 'x-gateway-custom-host', 'INLINE_CUSTOM_HOST_BLOCKED');
  for (const header of addressHeaders) refuse(call, header, 'INLINE_PROVIDER_URL_BLOCKED');
  refuse(call, 'x-gateway-forward-headers', 'INLINE_FORWARD_HEADERS_BLOCKED');
};

function refuse(
  { headers }: Call,
  header: string,
  code: ErrorName,
  isInline: (value: string) => boolean = () => true,
): void {
  const value = headerOf(headers, header)?.trim();
  if (value && isInline(value)) throw new GatewayError(code, { param: header });
}
