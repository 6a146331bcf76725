import type { JSONObject, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { joinBetas } from '../../credentials/anthropic.ts';
import type { Fields } from '../../kinds/ai-sdk/fields.ts';
import { reasoningOf, scaleOf } from '../../kinds/ai-sdk/request/reasoning.ts';
import { beside, budgetOf } from '../../kinds/claude/options.ts';
import type { DialectRequest } from '../../provider.ts';
import { isClaude } from './models.ts';

/** What a chat request means to a model on Bedrock alone. */
export function bedrockOptions(
  body: Fields,
  model: string,
  { maxOutputTokens }: LanguageModelV4CallOptions,
  request: DialectRequest,
): Partial<LanguageModelV4CallOptions> {
  const asked = reasoningOf(body);
  const takesBudget = asked !== null && (isClaude(model) || asked.kind === 'budget');
  const budget = takesBudget ? budgetOf(asked, model) : null;
  const anthropic: JSONObject = body.parallel_tool_calls === false ? { disableParallelToolUse: true } : {};
  const amazonBedrock: JSONObject = {
    ...betaOption(request),
    ...(budget !== null && { reasoningConfig: { type: 'enabled', budgetTokens: budget } }),
  };
  return {
    reasoning: asked === null || budget !== null ? undefined : scaleOf(asked),
    maxOutputTokens: budget === null ? maxOutputTokens : beside(budget, maxOutputTokens),
    providerOptions: { anthropic, amazonBedrock },
  };
}

/** Here betas of Claude stand in the body. */
function betaOption({ headers, credential }: DialectRequest): JSONObject {
  const betas = joinBetas(headers['anthropic-beta'], credential.settings.anthropic_beta);
  return betas === '' ? {} : { anthropicBeta: betas.split(',') };
}

/** The length of an embedding, under the name that each family of models has for it. */
export function dimensionOption(model: string, dimensions: number | undefined): JSONObject {
  if (dimensions === undefined) return {};
  if (model.includes('nova')) return { embeddingDimension: dimensions };
  if (model.includes('cohere')) return { outputDimension: dimensions };
  return { dimensions };
}
