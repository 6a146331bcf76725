import { GatewayError } from '../errors/index.ts';
import { ask, type Content, type UpstreamAnswer, whole } from './kinds/openai-compatible/ask.ts';
import type { DialectAnswer, DialectRequest, Provider } from './provider.ts';

/** Asks a provider in the gateway's format, whether its own code translates that or it takes it as it is. */
export async function askProvider(
  provider: Provider,
  request: DialectRequest,
): Promise<Pick<UpstreamAnswer, 'status'> & Pick<DialectAnswer, 'body'>> {
  const { endpoint, path, query, body } = request;
  const dialect = provider.respond ?? (await provider.dialects?.[endpoint]?.());
  if (dialect) return dialect(request);
  if (!provider.endpoints.has(endpoint))
    throw new GatewayError('UNSUPPORTED_ENDPOINT', {
      message: `The provider ${provider.id} has nothing that this could be asked of.`,
    });
  const content: Content | null = body && {
    type: 'application/json',
    bytes: Buffer.from(JSON.stringify(body)),
  };
  return ask(request, path, query, provider, content);
}

/** The body of an answer, which has no more than `limit` bytes; rejects for more. */
export const wholeAnswer = async ({ body }: Pick<DialectAnswer, 'body'>, limit: number): Promise<Buffer> =>
  Buffer.isBuffer(body) ? body : whole({ body }, limit);
