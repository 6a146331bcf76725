/** An exchange with a partner, as its documentation has it. */
export type Exchange = {
  id: string;
  parameters: Record<string, unknown>;
  phase?: 'input' | 'output';
  /** What the partner is sent. */
  origin: string;
  path: string;
  headers?: Record<string, string>;
  body: unknown;
  good: unknown;
  bad: unknown;
  /** Of the bad answer. */
  reasons: string[];
};

/** The text of all exchanges. */
export const TEXT = 'Ann says hello';
const key = { apiKey: 'k-1' };
const azure = { ...key, resourceName: 'mine' };
const azureOrigin = 'https://mine.cognitiveservices.azure.com';
const azureHeaders = { 'ocp-apim-subscription-key': 'k-1' };
const bearer = { authorization: 'Bearer k-1' };
const user = [{ role: 'user', content: TEXT }];

const clouds: Exchange[] = [
  {
    id: 'azure.contentSafety',
    parameters: { ...azure, blocklistNames: ['mine'] },
    origin: azureOrigin,
    path: '/contentsafety/text:analyze?api-version=2024-09-01',
    headers: azureHeaders,
    body: { text: TEXT, categories: ['Hate', 'SelfHarm', 'Sexual', 'Violence'], blocklistNames: ['mine'] },
    good: { blocklistsMatch: [], categoriesAnalysis: [{ category: 'Hate', severity: 0 }] },
    bad: {
      blocklistsMatch: [{ blocklistName: 'mine', blocklistItemId: '1', blocklistItemText: 'hello' }],
      categoriesAnalysis: [
        { category: 'Hate', severity: 2 },
        { category: 'Violence', severity: 0 },
      ],
    },
    reasons: ['Hate', 'blocklist mine'],
  },
  {
    id: 'azure.shieldPrompt',
    parameters: azure,
    phase: 'input',
    origin: azureOrigin,
    path: '/contentsafety/text:shieldPrompt?api-version=2024-09-01',
    headers: azureHeaders,
    body: { userPrompt: TEXT, documents: [] },
    good: { userPromptAnalysis: { attackDetected: false }, documentsAnalysis: [{ attackDetected: false }] },
    bad: { userPromptAnalysis: { attackDetected: true }, documentsAnalysis: [{ attackDetected: true }] },
    reasons: ['userPrompt', 'documents'],
  },
  {
    id: 'google.modelArmor',
    parameters: {
      projectId: 'p',
      location: 'us-central1',
      templateId: 't',
      serviceAccountKey: 'SERVICE_ACCOUNT',
    },
    phase: 'input',
    origin: 'https://modelarmor.us-central1.rep.googleapis.com',
    path: '/v1/projects/p/locations/us-central1/templates/t:sanitizeUserPrompt',
    headers: { authorization: 'Bearer google-token' },
    body: { userPromptData: { text: TEXT } },
    good: {
      sanitizationResult: {
        filterMatchState: 'NO_MATCH_FOUND',
        filterResults: { rai: { raiFilterResult: { matchState: 'NO_MATCH_FOUND' } } },
        invocationResult: 'SUCCESS',
      },
    },
    bad: {
      sanitizationResult: {
        filterMatchState: 'MATCH_FOUND',
        filterResults: {
          pi_and_jailbreak: { piAndJailbreakFilterResult: { matchState: 'MATCH_FOUND' } },
          rai: { raiFilterResult: { matchState: 'NO_MATCH_FOUND' } },
        },
        invocationResult: 'SUCCESS',
      },
    },
    reasons: ['pi_and_jailbreak'],
  },
  {
    id: 'bedrock.guard',
    parameters: {
      guardrailId: 'g1',
      guardrailVersion: 'DRAFT',
      awsRegion: 'us-east-1',
      awsAccessKeyId: 'id-1',
      awsSecretAccessKey: 'secret-1',
    },
    origin: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    path: '/guardrail/g1/version/DRAFT/apply',
    body: { source: 'OUTPUT', content: [{ text: { text: TEXT } }] },
    good: { action: 'NONE', assessments: [{}], outputs: [], usage: {} },
    bad: {
      action: 'GUARDRAIL_INTERVENED',
      outputs: [{ text: 'Sorry.' }],
      assessments: [
        { topicPolicy: { topics: [{ name: 'Money', type: 'DENY', action: 'BLOCKED' }] } },
        { contentPolicy: { filters: [{ type: 'HATE', confidence: 'LOW', action: 'NONE' }] } },
      ],
    },
    reasons: ['topicPolicy DENY'],
  },
  {
    id: 'azure.pii',
    parameters: azure,
    origin: azureOrigin,
    path: '/language/:analyze-text?api-version=2024-11-01',
    headers: azureHeaders,
    body: {
      kind: 'PiiEntityRecognition',
      parameters: { modelVersion: 'latest', domain: 'none', stringIndexType: 'Utf16CodeUnit' },
      analysisInput: { documents: [{ id: '0', text: TEXT, language: 'en' }] },
    },
    good: { results: { documents: [{ id: '0', entities: [] }], errors: [] } },
    bad: {
      results: { documents: [{ entities: [{ category: 'Person', offset: 0, length: 3 }] }], errors: [] },
    },
    reasons: ['PERSON'],
  },
];

const evaluated = (pass: boolean) => ({ results: [{ evaluation_result: { pass } }] });
const patronusRow = (name: string, evaluator: string, criteria?: string, more: object = {}): Exchange => ({
  id: `patronus.${name}`,
  parameters: { ...key, ...more },
  origin: 'https://api.patronus.ai',
  path: '/v1/evaluate',
  headers: { 'x-api-key': 'k-1' },
  body: {
    evaluators: [{ evaluator, explain_strategy: 'never', ...(criteria && { criteria }) }],
    evaluated_model_input: 'asked',
    evaluated_model_output: TEXT,
  },
  good: evaluated(true),
  bad: evaluated(false),
  reasons: [name],
});

const qualifireRow = (
  name: string,
  wanted: object,
  phase: 'input' | 'output',
  more: object = {},
): Exchange => ({
  id: `qualifire.${name}`,
  parameters: { ...key, ...more },
  phase,
  origin: 'https://proxy.qualifire.ai',
  path: '/api/evaluation/evaluate',
  headers: { 'x-qualifire-api-key': 'k-1' },
  body: { ...(phase === 'input' ? { input: TEXT } : { input: 'asked', output: TEXT }), ...wanted },
  good: { status: 'success', evaluationResults: [] },
  bad: { status: 'failed', evaluationResults: [] },
  reasons: [name],
});

const vendors: Exchange[] = [
  {
    id: 'lakera',
    parameters: { ...key, projectID: 'project-1' },
    phase: 'input',
    origin: 'https://api.lakera.ai',
    path: '/v2/guard',
    headers: bearer,
    body: { messages: user, project_id: 'project-1', breakdown: true, payload: false },
    good: { flagged: false, breakdown: [{ detector_type: 'prompt_attack', detected: false }] },
    bad: {
      flagged: true,
      breakdown: [
        { detector_type: 'prompt_attack', detected: true },
        { detector_type: 'pii/name', detected: false },
      ],
    },
    reasons: ['prompt_attack'],
  },
  {
    id: 'mistral.moderateContent',
    parameters: { ...key, categories: ['pii', 'sexual'] },
    origin: 'https://api.mistral.ai',
    path: '/v1/moderations',
    headers: bearer,
    body: { model: 'mistral-moderation-latest', input: [TEXT] },
    good: { results: [{ categories: { pii: false, sexual: false, law: true }, category_scores: {} }] },
    bad: { results: [{ categories: { pii: true, sexual: false, law: true }, category_scores: {} }] },
    reasons: ['pii'],
  },
  {
    id: 'panw-prisma-airs.intercept',
    parameters: { ...key, profile_name: 'mine' },
    phase: 'input',
    origin: 'https://service.api.aisecurity.paloaltonetworks.com',
    path: '/v1/scan/sync/request',
    headers: { 'x-pan-token': 'k-1' },
    body: {
      tr_id: '0af7651916cd43dd8448eb211c80319c',
      ai_profile: { profile_name: 'mine' },
      metadata: { ai_model: 'gpt-5', app_user: 'sluice', app_name: 'sluice' },
      contents: [{ prompt: TEXT }],
    },
    good: { action: 'allow', category: 'benign', prompt_detected: { dlp: false } },
    bad: { action: 'block', category: 'malicious', prompt_detected: { dlp: true, injection: false } },
    reasons: ['dlp'],
  },
  {
    id: 'aporia.validateProject',
    parameters: { ...key, projectID: 'p-1' },
    phase: 'input',
    origin: 'https://gr-prd.aporia.com',
    path: '/p-1/validate',
    headers: { 'x-aporia-api-key': 'k-1' },
    body: { messages: user, explain: true, validation_target: 'prompt' },
    good: { action: 'passthrough', revised_response: null },
    bad: { action: 'block', revised_response: 'No.' },
    reasons: ['block'],
  },
  {
    id: 'lasso.classify',
    parameters: { ...key, userId: 'u-1' },
    phase: 'input',
    origin: 'https://server.lasso.security',
    path: '/gateway/v2/classify',
    headers: { 'lasso-api-key': 'k-1', 'lasso-user-id': 'u-1' },
    body: { messages: user },
    good: { deputies: { jailbreak: false }, violations_detected: false },
    bad: { deputies: { jailbreak: true, sexual: false }, violations_detected: true },
    reasons: ['jailbreak'],
  },
  {
    id: 'pangea.textGuard',
    parameters: { ...key, domain: 'aws.us.pangea.cloud', recipe: 'r' },
    origin: 'https://ai-guard.aws.us.pangea.cloud',
    path: '/v1/text/guard',
    headers: bearer,
    body: { text: TEXT, recipe: 'r' },
    good: { status: 'Success', result: { detectors: { prompt_injection: { detected: false } } } },
    bad: {
      status: 'Success',
      result: { detectors: { prompt_injection: { detected: true }, pii_entity: { detected: false } } },
    },
    reasons: ['prompt_injection'],
  },
  {
    id: 'pangea.pii',
    parameters: { ...key, domain: 'aws.us.pangea.cloud' },
    origin: 'https://redact.aws.us.pangea.cloud',
    path: '/v1/redact_structured',
    headers: bearer,
    body: { data: [TEXT] },
    good: { status: 'Success', result: { count: 0, redacted_data: [TEXT] } },
    bad: { status: 'Success', result: { count: 1, redacted_data: ['<PERSON> says hello'] } },
    reasons: ['pii'],
  },
  patronusRow('phi', 'phi'),
  patronusRow('pii', 'pii'),
  patronusRow('isConcise', 'judge', 'patronus:is-concise'),
  patronusRow('isHelpful', 'judge', 'patronus:is-helpful'),
  patronusRow('isPolite', 'judge', 'patronus:is-polite'),
  patronusRow('noApologies', 'judge', 'patronus:no-apologies'),
  patronusRow('noGenderBias', 'judge', 'patronus:no-gender-bias'),
  patronusRow('noRacialBias', 'judge', 'patronus:no-racial-bias'),
  patronusRow('retrievalAnswerRelevance', 'answer-relevance'),
  patronusRow('toxicity', 'toxicity'),
  patronusRow('custom', 'glider', 'mine', { profile: 'glider:mine' }),
  patronusRow('custom', 'judge', 'mine', { profile: 'mine' }),
  ...(['prompt', 'response'] as const).map(
    (what): Exchange => ({
      id: what === 'prompt' ? 'pillar.scanPrompt' : 'pillar.scanResponse',
      parameters: { ...key, scanners: ['pii', 'secrets'] },
      phase: what === 'prompt' ? 'input' : 'output',
      origin: 'https://api.pillarseclabs.com',
      path: `/api/v1/scan/${what}`,
      headers: bearer,
      body: { message: TEXT, scanners: { pii: true, secrets: true } },
      good: { pii: null, secrets: false },
      bad: { pii: [{ value: 'Ann' }], secrets: false },
      reasons: ['pii'],
    }),
  ),
  ...(['prompt', 'response'] as const).map(
    (what): Exchange => ({
      id: what === 'prompt' ? 'promptsecurity.protectPrompt' : 'promptsecurity.protectResponse',
      parameters: { ...key, apiDomain: 'eu.prompt.security' },
      phase: what === 'prompt' ? 'input' : 'output',
      origin: 'https://eu.prompt.security',
      path: '/api/protect',
      headers: { 'app-id': 'k-1' },
      body: { [what]: TEXT },
      good: { result: { [what]: { passed: true } } },
      bad: { result: { [what]: { passed: false, violations: ['Secrets'] } } },
      reasons: ['Secrets'],
    }),
  ),
  ...(['guard', 'pii', 'harm'] as const).map(
    (name): Exchange => ({
      id: `promptfoo.${name}`,
      parameters: {},
      origin: 'https://api.promptfoo.dev',
      path: `/v1/${name}`,
      body: { input: TEXT },
      good: { model: 'm', results: [{ categories: { jailbreak: false }, flagged: false }] },
      bad: { model: 'm', results: [{ categories: { jailbreak: true }, flagged: true }] },
      reasons: [name, 'jailbreak'],
    }),
  ),
  qualifireRow('contentModeration', { content_moderation_check: true }, 'input'),
  qualifireRow('pii', { pii_check: true }, 'output'),
  qualifireRow('promptInjections', { prompt_injections: true }, 'input'),
  qualifireRow('hallucinations', { hallucinations_check: true }, 'output'),
  qualifireRow('grounding', { grounding_check: true }, 'output'),
  qualifireRow('policy', { assertions: ['Be kind.'] }, 'output', { policies: ['Be kind.'] }),
  {
    id: 'sydelabs.sydeguard',
    parameters: { ...key, toxicity_threshold: 0.8 },
    phase: 'input',
    origin: 'https://guard.sydelabs.ai',
    path: '/api/v1/guard/generate-score',
    headers: { 'x-api-key': 'k-1' },
    body: { prompt: TEXT },
    good: { category_scores: [{ category: 'TOXIC', score: 0.7 }] },
    bad: {
      category_scores: [
        { category: 'PROMPT_INJECT', score: 0.7 },
        { category: 'TOXIC', score: 0.7 },
      ],
    },
    reasons: ['PROMPT_INJECT'],
  },
  {
    id: 'walledai.walledprotect',
    parameters: { ...key, pii_list: ['Address'] },
    origin: 'https://services.walled.ai',
    path: '/v1/walled-protect',
    headers: { 'x-api-key': 'k-1' },
    body: {
      text: TEXT,
      generic_safety_check: true,
      greetings_list: ['Casual & Friendly'],
      pii_list: ['Address'],
      compliance_list: [],
    },
    good: { success: true, data: { safety: [{ safety: 'generic', isSafe: true }] } },
    bad: { success: true, data: { safety: [{ safety: 'generic', isSafe: false }] } },
    reasons: ['unsafe'],
  },
  {
    id: 'f5-guardrails.scan',
    parameters: { ...key, projectId: 'p-1' },
    origin: 'https://us1.calypsoai.app',
    path: '/backend/v1/scans',
    headers: bearer,
    body: { input: TEXT, project: 'p-1' },
    good: { id: '1', redactedInput: TEXT, result: { outcome: 'cleared', scannerResults: [] } },
    bad: { id: '1', redactedInput: TEXT, result: { outcome: 'flagged', scannerResults: [] } },
    reasons: ['flagged'],
  },
  {
    id: 'crowdstrike-aidr.guardChatCompletions',
    parameters: { ...key, baseUrl: 'https://collector.aidr.example' },
    phase: 'input',
    origin: 'https://collector.aidr.example',
    path: '/v1/guard_chat_completions',
    headers: bearer,
    body: {
      guard_input: { messages: user },
      event_type: 'input',
      app_id: 'Sluice',
      llm_provider: 'openai',
      model: 'gpt-5',
    },
    good: { status: 'Success', result: { blocked: false, policy: 'mine' } },
    bad: { status: 'Success', result: { blocked: true, policy: 'mine' } },
    reasons: ['mine'],
  },
  {
    id: 'javelin.guardrails',
    parameters: { ...key, application: 'a-1' },
    origin: 'https://api-dev.javelin.live',
    path: '/v1/guardrails/apply',
    headers: { 'x-javelin-apikey': 'k-1', 'x-javelin-application': 'a-1' },
    body: { input: { text: TEXT }, config: {}, metadata: {} },
    good: { assessments: [{ trustsafety: { request_reject: false } }] },
    bad: { assessments: [{ trustsafety: { request_reject: true } }, { lang: { request_reject: false } }] },
    reasons: ['trustsafety'],
  },
  {
    id: 'http.generic',
    parameters: { ...key, apiBase: 'https://guard.example/base/', additionalParameters: { threshold: 0.8 } },
    phase: 'input',
    origin: 'https://guard.example',
    path: '/base/beta/litellm_basic_guardrail_api',
    headers: { 'x-api-key': 'k-1' },
    body: {
      texts: [TEXT],
      images: [],
      tools: [],
      request_data: { user_api_key_team_id: 'workspace-1', user_api_key_org_id: 'organisation-1' },
      input_type: 'request',
      litellm_call_id: '0af7651916cd43dd8448eb211c80319c',
      litellm_trace_id: '0af7651916cd43dd8448eb211c80319c',
      additional_provider_specific_params: { threshold: 0.8 },
    },
    good: { action: 'NONE' },
    bad: { action: 'BLOCKED', blocked_reason: 'bad word' },
    reasons: ['bad word'],
  },
];

export const exchanges: readonly Exchange[] = [...clouds, ...vendors];
