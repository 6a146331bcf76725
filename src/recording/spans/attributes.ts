import type { Attributes } from '@opentelemetry/api';
import type { LoggedCheck, LoggedGuardrail } from '../log/guardrails.ts';
import type { LogRecord } from '../log/record.ts';

export type AttributeSource = Record<string, string | number | boolean | null>;

const NANODOLLARS = 1e9;

/** What a try at a provider was and used. */
export function tryAttributes(record: LogRecord): AttributeSource {
  const { costNanodollars } = record;
  return {
    'gen_ai.provider.name': record.aiProvider,
    // What the conventions called it before; most tools still read this.
    'gen_ai.system': record.aiProvider,
    'gen_ai.request.model': record.aiModel,
    'gen_ai.usage.input_tokens': record.promptTokens,
    'gen_ai.usage.output_tokens': record.completionTokens,
    // US dollars.
    'gen_ai.usage.cost': costNanodollars === null ? null : costNanodollars / NANODOLLARS,
    'sluice.log.id': record._id,
    'sluice.provider.slug': record.providerSlug,
    'sluice.option.path': record.lastUsedOptionJsonPath,
    'sluice.retry.count': record.retryAttemptCount,
    'sluice.cache.status': record.cacheStatus,
    'sluice.time_to_first_token': record.timeToFirstToken,
    ...commonAttributes(record),
  };
}

/** What spans of calls and of tries both say. */
export const commonAttributes = (record: LogRecord): AttributeSource => ({
  'http.response.status_code': record.responseStatusCode,
  'error.type': record.isSuccess ? null : String(record.responseStatusCode),
  'sluice.organisation.id': record.organisationId,
  'sluice.workspace.id': record.workspaceId,
  'sluice.api_key.id': record.apiKeyId,
  'sluice.endpoint': record.endpoint,
  'sluice.config.slug': record.configSlug,
  'sluice.stream': record.streamMode === 1,
});

/** Which check it was, of which guardrail, and what they came to. */
export const checkAttributes = (
  { organisationId, workspaceId }: LogRecord,
  ran: LoggedGuardrail,
  { id, verdict, error }: LoggedCheck,
): AttributeSource => ({
  'error.type': error ?? null,
  'sluice.organisation.id': organisationId,
  'sluice.workspace.id': workspaceId,
  'sluice.guardrail.id': ran.id,
  'sluice.guardrail.version_id': ran.versionId,
  'sluice.guardrail.phase': ran.phase,
  'sluice.guardrail.verdict': ran.verdict,
  'sluice.guardrail.denied': ran.denied,
  'sluice.guardrail.async': ran.async,
  'sluice.guardrail.check': id,
  'sluice.guardrail.check.verdict': verdict,
});

/** Without those that are null. */
export function present(given: AttributeSource): Attributes {
  const attributes: Attributes = {};
  for (const name in given) {
    const value = given[name];
    if (value !== null) attributes[name] = value;
  }
  return attributes;
}
