import type { MappedSecret } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import type { HostPolicy } from '../../lib/http/custom-host.ts';
import { parsedObject } from '../../lib/json.ts';
import {
  askProvider,
  type BaseUrl,
  findProvider,
  type OwnIdentity,
  type Provider,
  type ProviderCredential,
  wholeAnswer,
} from '../../providers/index.ts';
import type { SecretMemory } from '../../secret-managers/memory.ts';
import { errorText, parsedError } from '../answer/provider-error.ts';
import type { HttpUpstream } from '../send/http.ts';
import { type MappedValues, mappedValues, renewed } from '../target/mapped-credential.ts';

/** A provider as an administrator describes it, credential in the clear. */
export type Probed = {
  /** Of the stored integration; null for one that is not stored. */
  slug: string | null;
  aiProviderId: string;
  /** What is stored of it; `mappedSecrets` go before. */
  credential: ProviderCredential;
  mappedSecrets: readonly MappedSecret[];
  customHost: string | null;
  customHeaders: Record<string, string>;
};

/** What became of one request to it. */
export type ProbeResult = {
  /** Null when there was no answer. */
  status: number | null;
  latencyMs: number;
  /** What the provider said of an error, without secrets. */
  message: string | null;
  /** Why there was no answer, or no request, in the gateway's words. */
  problem: string | null;
  /** The body of a success; null when it is no JSON object. */
  body: Record<string, unknown> | null;
};

/** Asks a provider one small question, without a call, a log or a retry. Throws what is wrong with its address. */
export type Probe = (probed: Probed, model: string | null) => Promise<ProbeResult>;

/** Milliseconds for the exchange, tokens for the credential included; secret managers have a time of their own. */
const PATIENCE_MS = 5000;
/** Bytes of an answer; a list of models is the longest. */
const MAX_ANSWER = 8 * 1024 * 1024;
const MAX_MESSAGE = 1000;

type Outside = {
  http: Pick<HttpUpstream, 'fetch'>;
  hostPolicy: HostPolicy;
  identity: OwnIdentity | null;
  secretMemory: SecretMemory;
};

export const createProbe =
  (outside: Outside): Probe =>
  async (probed, model) => {
    const provider = findProvider(probed.aiProviderId);
    if (!provider) throw new GatewayError('UNKNOWN_PROVIDER', { param: 'input.aiProviderId' });
    const base = baseOf(provider, probed, outside.hostPolicy);
    const began = performance.now();
    const ending = await ask(provider, base, probed, model, outside).catch(failureOf);
    return {
      message: null,
      problem: null,
      body: null,
      ...ending,
      latencyMs: Math.round(performance.now() - began),
    };
  };

type Ending = Pick<ProbeResult, 'status'> & Partial<ProbeResult>;

/** Asks once more with newer values where the provider refuses those of secret managers, as a call does. */
async function ask(
  provider: Provider,
  base: BaseUrl | null,
  probed: Probed,
  model: string | null,
  outside: Outside,
): Promise<Ending> {
  const { secretMemory } = outside;
  const first = await mappedValues(probed, provider, secretMemory);
  const ending = await exchange(provider, base, withValues(probed, first), model, outside);
  const isRefused = ending.status === 401 || ending.status === 403;
  const use = { record: probed, usedSecrets: first.used };
  if (!isRefused || !(await renewed(use, secretMemory))) return ending;
  const newer = await mappedValues(probed, provider, secretMemory);
  return exchange(provider, base, withValues(probed, newer), model, outside);
}

const withValues = (probed: Probed, { key, settings }: MappedValues): Probed => ({
  ...probed,
  credential: {
    ...probed.credential,
    key: key ?? probed.credential.key,
    settings: { ...probed.credential.settings, ...settings },
  },
});

async function exchange(
  provider: Provider,
  base: BaseUrl | null,
  { credential, customHost, customHeaders }: Probed,
  model: string | null,
  { http, identity }: Outside,
): Promise<Ending> {
  const own = { ...credential, identity: customHost === null ? identity : null };
  const question = model === null ? listing : chat(provider.sentModel?.(model, credential.settings) ?? model);
  const answer = await askProvider(provider, {
    ...question,
    query: '',
    base,
    credential: own,
    headers: { ...customHeaders },
    metadata: {},
    strict: true,
    fetch: http.fetch,
    ask: http.fetch,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { status } = answer;
  const bytes = await wholeAnswer(answer, MAX_ANSWER);
  if (status >= 200 && status < 300) return { status, body: parsedObject(bytes.toString('utf8')) };
  const keeper = { provider, credential, customHeaders };
  const said = parsedObject(errorText(keeper, status, parsedError(bytes)));
  const message = (said?.error as { message?: unknown } | undefined)?.message;
  return { status, message: typeof message === 'string' ? message.slice(0, MAX_MESSAGE) : null };
}

const listing = { endpoint: 'models', method: 'GET', path: '/models', body: null, model: null } as const;

const chat = (model: string) =>
  ({
    endpoint: 'chatComplete',
    method: 'POST',
    path: '/chat/completions',
    body: { model, max_tokens: 16, messages: [{ role: 'user', content: 'Say yes.' }] },
    model,
  }) as const;

/** Errors of the gateway's own may be shown; anything else may quote what was sent. */
function failureOf(error: unknown): Ending {
  const refusal = [error, (error as Error)?.cause].find((each) => each instanceof GatewayError);
  if (refusal) return { status: null, problem: refusal.message };
  const timedOut = (error as Error)?.name === 'TimeoutError';
  return {
    status: null,
    problem: timedOut
      ? `The provider did not answer within ${PATIENCE_MS / 1000} seconds.`
      : 'The provider cannot be reached: check the host and the network.',
  };
}

/** Where the provider is; the rules for hosts are those of every call. */
function baseOf(
  { id, baseUrl, respond }: Provider,
  { customHost, credential: { settings } }: Probed,
  { problem }: HostPolicy,
): BaseUrl | null {
  if (respond) return null;
  const url = customHost ?? (typeof baseUrl === 'function' ? baseUrl(settings) : baseUrl);
  const param = 'input.configurations.custom_host';
  if (url === null)
    throw new GatewayError('INVALID_CUSTOM_HOST', {
      message: `The provider ${id} needs a custom host, or more of its settings.`,
      param,
    });
  const reason = url === baseUrl ? null : problem(url);
  if (reason)
    throw new GatewayError('INVALID_CUSTOM_HOST', { message: `The host is not allowed: ${reason}.`, param });
  const { origin, pathname } = new URL(url);
  return { origin, path: pathname.replace(/\/+$/, '') };
}
