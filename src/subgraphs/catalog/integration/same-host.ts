import { GatewayError } from '../../../errors/index.ts';

const originOf = (host: string | undefined): string => (host === undefined ? '' : new URL(host).origin);

/**
 * Stored credentials are write-only: whoever points an integration at another host must bring those that go there, or
 * changing the host would be a way to read them. `held`: the credentials that would stay as they are.
 */
export function requireSameHost(
  before: string | undefined,
  after: string | undefined,
  held: readonly string[],
): void {
  if (held.length === 0 || originOf(before) === originOf(after)) return;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `The custom host changes: send ${held.join(', ')} again.`,
    param: 'input.configurations.custom_host',
  });
}
