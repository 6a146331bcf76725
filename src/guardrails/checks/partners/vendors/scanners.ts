import { z } from 'zod';
import { isObject } from '../../../../lib/json.ts';
import { urlParameter } from '../../remote/common.ts';
import { booleanOf, listOf, numberOf, objectOf, textOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey, baseUrl, hostLabel, name, trimmed } from '../shapes.ts';

const threshold = (kind: string) =>
  z.number().min(0).max(1).default(0.5).describe(`The score of ${kind} above which a text fails.`);

export const sydeguard = definePartner({
  id: 'sydelabs.sydeguard',
  description: 'Passes when the scores of SydeGuard are not above the thresholds.',
  phases: ['input'],
  shape: {
    apiKey,
    prompt_injection_threshold: threshold('injection'),
    toxicity_threshold: threshold('toxicity'),
    evasion_threshold: threshold('evasion'),
  },
  request: ({ text, parameters }) => ({
    url: 'https://guard.sydelabs.ai/api/v1/guard/generate-score',
    headers: { 'x-api-key': parameters.apiKey },
    body: { prompt: text },
  }),
  verdict(answer, { parameters }) {
    const limits: Readonly<Record<string, number>> = {
      PROMPT_INJECT: parameters.prompt_injection_threshold,
      TOXIC: parameters.toxicity_threshold,
      EVASION: parameters.evasion_threshold,
    };
    const reasons = listOf(objectOf(answer).category_scores, 'scores').flatMap(({ category, score }) => {
      const kind = textOf(category, 'category');
      return numberOf(score, 'score') > (limits[kind] ?? 1) ? [kind] : [];
    });
    return { passes: reasons.length === 0, reasons };
  },
});

const topics = (meaning: string, usual: string[]) =>
  z.array(z.string().min(1).max(200)).max(50).default(usual).describe(meaning);

export const walledProtect = definePartner({
  id: 'walledai.walledprotect',
  description: 'Passes when Walled Protect finds the text safe.',
  phases: ['input', 'output'],
  shape: {
    apiKey,
    generic_safety_check: z.boolean().default(true).describe('Whether harm of all kinds counts.'),
    greetings_list: topics('Kinds of greetings that are told apart.', ['Casual & Friendly']),
    pii_list: topics('Kinds of personal data that are told.', []),
    compliance_list: topics('Rules to comply with.', []),
  },
  request: ({ text, parameters: { apiKey: key, generic_safety_check, ...lists } }) => ({
    url: 'https://services.walled.ai/v1/walled-protect',
    headers: { 'x-api-key': key },
    body: {
      text,
      generic_safety_check,
      greetings_list: lists.greetings_list,
      pii_list: lists.pii_list,
      compliance_list: lists.compliance_list,
    },
  }),
  verdict(answer) {
    const [first] = listOf(objectOf(objectOf(answer).data, 'data').safety, 'safety');
    const isSafe = booleanOf(objectOf(first, 'safety').isSafe, 'verdict');
    return { passes: isSafe, reasons: isSafe ? [] : ['unsafe'] };
  },
});

export const f5Guardrails = definePartner({
  id: 'f5-guardrails.scan',
  description: 'Passes when F5 AI Guardrails clears the text, or redacts it.',
  phases: ['input', 'output'],
  canRedact: true,
  shape: {
    apiKey,
    projectId: name('The project whose scanners run.'),
    calypsoUrl: baseUrl('https://us1.calypsoai.app'),
  },
  request: ({ text, parameters: { apiKey: key, projectId, calypsoUrl } }) => ({
    url: `${trimmed(calypsoUrl)}/backend/v1/scans`,
    headers: { authorization: `Bearer ${key}` },
    body: { input: text, project: projectId },
  }),
  verdict(answer) {
    const { result, redactedInput } = objectOf(answer);
    const outcome = textOf(objectOf(result, 'result').outcome, 'outcome');
    if (outcome === 'cleared') return { passes: true, reasons: [] };
    const isRedacted = outcome === 'redacted' && typeof redactedInput === 'string';
    return { passes: false, reasons: [outcome], ...(isRedacted && { redacted: redactedInput }) };
  },
});

export const crowdstrikeAidr = definePartner({
  id: 'crowdstrike-aidr.guardChatCompletions',
  aliases: ['crowdstrike-aidr.guardChatCompletion'],
  description: 'Passes when CrowdStrike AIDR does not block the call.',
  phases: ['input', 'output'],
  shape: { apiKey, baseUrl: urlParameter.describe('The address of your collector.') },
  request({ text, input: { phase, call }, parameters }) {
    const isInput = phase === 'input';
    // A body that is no JSON, and an answer while it is streamed, are told as messages.
    const role = isInput ? 'user' : 'assistant';
    const message = { role, content: text };
    const told = isInput ? { messages: [message] } : { choices: [{ index: 0, message }] };
    return {
      url: `${trimmed(parameters.baseUrl)}/v1/guard_chat_completions`,
      headers: { authorization: `Bearer ${parameters.apiKey}` },
      body: {
        guard_input: (isInput ? call.request : call.response?.body) ?? told,
        event_type: isInput ? 'input' : 'output',
        app_id: 'Sluice',
        ...(call.provider !== null && { llm_provider: call.provider }),
        ...(call.model !== null && { model: call.model }),
      },
    };
  },
  verdict(answer) {
    const { status, result } = objectOf(answer);
    if (status !== 'Success') throw new Error('The service did not succeed.');
    const { blocked, policy } = objectOf(result, 'result');
    const isBlocked = booleanOf(blocked, 'verdict');
    return {
      passes: !isBlocked,
      reasons: isBlocked ? [typeof policy === 'string' ? policy : 'blocked'] : [],
    };
  },
});

export const javelin = definePartner({
  id: 'javelin.guardrails',
  description: 'Passes when no guardrail of Javelin rejects the text.',
  phases: ['input', 'output'],
  shape: {
    apiKey,
    domain: hostLabel('The domain of the service.').default('api-dev.javelin.live'),
    application: name('The application whose guardrails run.').optional(),
  },
  request: ({ text, parameters: { apiKey: key, domain, application } }) => ({
    url: `https://${domain}/v1/guardrails/apply`,
    headers: {
      'x-javelin-apikey': key,
      ...(application !== undefined && { 'x-javelin-application': application }),
    },
    body: { input: { text }, config: {}, metadata: {} },
  }),
  verdict(answer) {
    const assessments = listOf(objectOf(answer).assessments, 'assessments');
    const reasons = assessments.flatMap((assessment) =>
      Object.entries(assessment).flatMap(([kind, found]) =>
        isObject(found) && found.request_reject === true ? [kind] : [],
      ),
    );
    return { passes: reasons.length === 0, reasons };
  },
});
