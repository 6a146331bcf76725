type Json = Record<string, unknown>;

const form = (message: string, properties: Json, required: string[] = Object.keys(properties)): Json => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties, required } },
});
const sample = (said: string, maxTokens = 100): Json => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: said } }], maxTokens },
});
const roots: Json = { method: 'roots/list', params: {} };

const text = (type = 'string') => ({ type });
const titled = (pairs: Record<string, string>) =>
  Object.entries(pairs).map(([value, title]) => ({ const: value, title }));
const options = ['option1', 'option2', 'option3'];

const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const enums = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: {
    type: 'string',
    oneOf: titled({ value1: 'First Option', value2: 'Second Option', value3: 'Third Option' }),
  },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: {
    type: 'array',
    items: { anyOf: titled({ value1: 'First Choice', value2: 'Second Choice', value3: 'Third Choice' }) },
  },
};

/** What a tool asks in the middle of a call in the era with a handshake; null for one that asks nothing. */
export function questionOf(name: string, given: Json): Json | null {
  if (name === 'test_sampling') return sample(String(given.prompt));
  if (name === 'test_elicitation') return form(String(given.message), { response: text() });
  if (name === 'test_elicitation_sep1034_defaults') return form('Please review the fields.', defaults, []);
  if (name === 'test_elicitation_sep1330_enums') return form('Please select.', enums, []);
  return null;
}

/** The words of a tool about an answer. */
export function reportOf(name: string, { action, content }: Json): string {
  if (name === 'test_sampling') return `LLM response: ${(content as { text?: string })?.text}`;
  const what = name === 'test_elicitation' ? 'User response' : 'Elicitation completed';
  return `${what}: action=${action}, content=${JSON.stringify(content ?? {})}`;
}

export const asking = [
  'test_sampling',
  'test_elicitation',
  'test_elicitation_sep1034_defaults',
  'test_elicitation_sep1330_enums',
];

/** Rounds of questions in the era without a handshake; each has to be answered whole before the next. */
export const rounds: Readonly<Record<string, { asked: Record<string, Json>[]; hasState: boolean }>> = {
  test_input_required_result_elicitation: {
    asked: [{ user_name: form('What is your name?', { name: text() }) }],
    hasState: false,
  },
  test_input_required_result_sampling: {
    asked: [{ capital_question: sample('What is the capital of France?') }],
    hasState: false,
  },
  test_input_required_result_list_roots: { asked: [{ client_roots: roots }], hasState: false },
  test_input_required_result_request_state: {
    asked: [{ confirm: form('Please confirm', { ok: text('boolean') }) }],
    hasState: true,
  },
  test_input_required_result_multiple_inputs: {
    asked: [
      {
        user_name: form('What is your name?', { name: text() }),
        greeting: sample('Generate a greeting', 50),
        client_roots: roots,
      },
    ],
    hasState: true,
  },
  test_input_required_result_multi_round: {
    asked: [
      { step1: form('Step 1: What is your name?', { name: text() }) },
      { step2: form('Step 2: What is your favorite color?', { color: text() }) },
    ],
    hasState: true,
  },
  test_input_required_result_tampered_state: {
    asked: [{ confirm: form('Please confirm', { ok: text('boolean') }) }],
    hasState: true,
  },
  test_input_required_result_capabilities: {
    asked: [{ user_name: form('What is your name?', { name: text() }), greeting: sample('Greet me.') }],
    hasState: false,
  },
  test_input_required_result_prompt: {
    asked: [{ user_context: form('What context should the prompt use?', { context: text() }) }],
    hasState: false,
  },
};

/** The capability that a question needs. */
export const capabilityOf = ({ method }: Json): string => String(method).split('/')[0] ?? '';
