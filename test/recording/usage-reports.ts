/** Answers as the providers document them, with what they used: the JSON body, or the frames of a stream. */
export type Recorded = {
  name: string;
  body?: unknown;
  frames?: string[];
  counts: [prompt: number | null, completion: number | null, total: number | null];
  classes: Record<string, number>;
};

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const event = (type: string, value: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;
const chunk = (usage: unknown, content = 'hi') =>
  data({ id: 'c', object: 'chat.completion.chunk', choices: [{ delta: { content } }], usage });
const messageStart = (usage: object) =>
  event('message_start', { message: { id: 'msg', role: 'assistant', content: [], usage } });
const delta = event('content_block_delta', {
  index: 0,
  delta: { type: 'text_delta', text: '"usage":{"input_tokens":9}' },
});

const chatUsage = {
  prompt_tokens: 2006,
  completion_tokens: 300,
  total_tokens: 2306,
  prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 192,
    audio_tokens: 0,
    accepted_prediction_tokens: 10,
    rejected_prediction_tokens: 8,
  },
};
const chatClasses = {
  cache_read_input_token: 1920,
  request_token: 86,
  reasoning_token: 192,
  prediction_accepted_token: 10,
  prediction_rejected_token: 8,
  response_token: 90,
};
const responsesUsage = {
  input_tokens: 328,
  input_tokens_details: { cached_tokens: 128 },
  output_tokens: 52,
  output_tokens_details: { reasoning_tokens: 40 },
  total_tokens: 380,
};
const responsesClasses = {
  cache_read_input_token: 128,
  request_token: 200,
  reasoning_token: 40,
  response_token: 12,
};
const messagesUsage = {
  input_tokens: 50,
  cache_creation_input_tokens: 248,
  cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
  cache_read_input_tokens: 100_000,
  output_tokens: 503,
  service_tier: 'standard',
};
const messagesInput = {
  cache_read_input_token: 100_000,
  cache_write_1h_input_token: 100,
  cache_write_input_token: 148,
  request_token: 50,
};
const geminiUsage = {
  promptTokenCount: 1000,
  cachedContentTokenCount: 400,
  candidatesTokenCount: 50,
  thoughtsTokenCount: 70,
  toolUsePromptTokenCount: 30,
  totalTokenCount: 1150,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 800 },
    { modality: 'AUDIO', tokenCount: 200 },
  ],
  cacheTokensDetails: [
    { modality: 'AUDIO', tokenCount: 150 },
    { modality: 'TEXT', tokenCount: 250 },
  ],
};
const geminiClasses = {
  cache_read_audio_input_token: 150,
  cache_read_input_token: 250,
  request_audio_token: 50,
  request_token: 580,
  reasoning_token: 70,
  response_token: 50,
};
const converseUsage = {
  inputTokens: 12,
  outputTokens: 34,
  totalTokens: 1146,
  cacheReadInputTokens: 1000,
  cacheWriteInputTokens: 100,
  cacheDetails: [{ ttl: '1h', inputTokens: 60 }],
};
const converseClasses = {
  cache_read_input_token: 1000,
  cache_write_1h_input_token: 60,
  cache_write_input_token: 40,
  request_token: 12,
  response_token: 34,
};
const cohereUsage = {
  billed_units: { input_tokens: 5, output_tokens: 10 },
  tokens: { input_tokens: 71, output_tokens: 12 },
};

export const recorded: Recorded[] = [
  {
    name: 'a chat completion',
    body: { choices: [], usage: chatUsage, service_tier: 'default' },
    counts: [2006, 300, 2306],
    classes: chatClasses,
  },
  {
    name: 'a stream of a chat completion',
    frames: [chunk(null), chunk(null), data({ choices: [], usage: chatUsage }), 'data: [DONE]\n\n'],
    counts: [2006, 300, 2306],
    classes: chatClasses,
  },
  {
    name: 'a stream that counts in every chunk',
    frames: [
      chunk({ prompt_tokens: 5, completion_tokens: 1 }),
      chunk({ prompt_tokens: 5, completion_tokens: 2 }),
    ],
    counts: [5, 2, 7],
    classes: { request_token: 5, response_token: 2 },
  },
  {
    name: 'a chat completion with audio',
    body: {
      usage: {
        prompt_tokens: 100,
        completion_tokens: 80,
        total_tokens: 180,
        prompt_tokens_details: { audio_tokens: 60, cached_tokens: 50 },
        completion_tokens_details: { audio_tokens: 70 },
      },
    },
    counts: [100, 80, 180],
    classes: {
      cache_read_audio_input_token: 10,
      cache_read_input_token: 40,
      request_audio_token: 50,
      response_audio_token: 70,
      response_token: 10,
    },
  },
  {
    name: 'a chat completion with reasoning beside the output (x-ai)',
    body: {
      usage: {
        prompt_tokens: 10,
        completion_tokens: 20,
        total_tokens: 130,
        completion_tokens_details: { reasoning_tokens: 100 },
      },
    },
    counts: [10, 120, 130],
    classes: { request_token: 10, reasoning_token: 100, response_token: 20 },
  },
  {
    name: 'a chat completion with reasoning beside the output and its cache inside the input (x-ai)',
    body: {
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 220,
        prompt_tokens_details: { cached_tokens: 60 },
        completion_tokens_details: { reasoning_tokens: 100 },
      },
    },
    counts: [100, 120, 220],
    classes: { cache_read_input_token: 60, request_token: 40, reasoning_token: 100, response_token: 20 },
  },
  {
    name: 'a chat completion with its cache beside the input (Claude behind a gateway)',
    body: {
      usage: {
        prompt_tokens: 10,
        completion_tokens: 20,
        total_tokens: 1060,
        cache_read_input_tokens: 1000,
        cache_creation_input_tokens: 30,
      },
    },
    counts: [1040, 20, 1060],
    classes: {
      cache_read_input_token: 1000,
      cache_write_input_token: 30,
      request_token: 10,
      response_token: 20,
    },
  },
  {
    name: 'a chat completion with hits and misses of the cache (deepseek)',
    body: {
      usage: {
        prompt_tokens: 100,
        completion_tokens: 5,
        total_tokens: 105,
        prompt_cache_hit_tokens: 64,
        prompt_cache_miss_tokens: 36,
      },
    },
    counts: [100, 5, 105],
    classes: { cache_read_input_token: 64, request_token: 36, response_token: 5 },
  },
  {
    name: 'deep research (perplexity)',
    body: {
      usage: {
        prompt_tokens: 33,
        completion_tokens: 7163,
        total_tokens: 7196,
        citation_tokens: 20_016,
        num_search_queries: 18,
        reasoning_tokens: 73_995,
      },
    },
    counts: [33, 81_158, 7196],
    classes: {
      request_token: 33,
      reasoning_token: 73_995,
      response_token: 7163,
      citation_token: 20_016,
      web_search: 18,
    },
  },
  {
    name: 'embeddings',
    body: { data: [], usage: { prompt_tokens: 8, total_tokens: 8 } },
    counts: [8, null, 8],
    classes: { request_token: 8 },
  },
  {
    name: 'a total alone (voyage)',
    body: { usage: { total_tokens: 26 } },
    counts: [null, null, 26],
    classes: { request_token: 26 },
  },
  {
    name: 'a response',
    body: { object: 'response', output: [], usage: responsesUsage },
    counts: [328, 52, 380],
    classes: responsesClasses,
  },
  {
    name: 'a response that searched the web',
    body: {
      output: [
        { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
        { type: 'web_search_call', action: { type: 'open_page' } },
        { type: 'file_search_call' },
        { type: 'message', content: [{ text: '"type":"web_search_call"' }] },
      ],
      usage: responsesUsage,
    },
    counts: [328, 52, 380],
    classes: { ...responsesClasses, web_search: 1, file_search: 1 },
  },
  {
    name: 'a stream of a response',
    frames: [
      event('response.created', { response: { usage: null } }),
      event('response.output_item.done', { item: { type: 'web_search_call', action: { type: 'search' } } }),
      event('response.completed', {
        response: {
          output: [{ type: 'web_search_call', action: { type: 'search' } }],
          usage: responsesUsage,
        },
      }),
    ],
    counts: [328, 52, 380],
    classes: { ...responsesClasses, web_search: 1 },
  },
  {
    name: 'images',
    body: {
      data: [{ b64_json: 'x' }],
      usage: {
        total_tokens: 1168,
        input_tokens: 112,
        output_tokens: 1056,
        input_tokens_details: { text_tokens: 12, image_tokens: 100 },
      },
    },
    counts: [112, 1056, 1168],
    classes: { request_image_token: 100, request_token: 12, response_image_token: 1056 },
  },
  {
    name: 'a transcription by tokens',
    body: {
      text: 'x',
      usage: {
        type: 'tokens',
        input_tokens: 14,
        input_token_details: { text_tokens: 4, audio_tokens: 10 },
        output_tokens: 101,
        total_tokens: 115,
      },
    },
    counts: [14, 101, 115],
    classes: { request_audio_token: 10, request_token: 4, response_token: 101 },
  },
  {
    name: 'a transcription by seconds',
    body: { text: 'x', usage: { type: 'duration', seconds: 93.5 } },
    counts: [null, null, null],
    classes: { audio_seconds: 93.5 },
  },
  {
    name: 'a realtime session',
    body: {
      object: 'realtime.session',
      usage: {
        total_tokens: 253,
        input_tokens: 132,
        output_tokens: 121,
        input_token_details: {
          text_tokens: 119,
          audio_tokens: 13,
          cached_tokens: 64,
          cached_tokens_details: { text_tokens: 60, audio_tokens: 4 },
        },
        output_token_details: { text_tokens: 30, audio_tokens: 91 },
      },
    },
    counts: [132, 121, 253],
    classes: {
      cache_read_audio_input_token: 4,
      cache_read_input_token: 60,
      request_audio_token: 9,
      request_token: 59,
      response_audio_token: 91,
      response_token: 30,
    },
  },
  {
    name: 'a message',
    body: { type: 'message', content: [], usage: messagesUsage },
    counts: [100_298, 503, 100_801],
    classes: { ...messagesInput, response_token: 503 },
  },
  {
    name: 'a message with searches and thoughts',
    body: {
      usage: {
        input_tokens: 5,
        output_tokens: 30,
        output_tokens_details: { thinking_tokens: 20 },
        server_tool_use: { web_search_requests: 2 },
      },
    },
    counts: [5, 30, 35],
    classes: { request_token: 5, reasoning_token: 20, response_token: 10, web_search: 2 },
  },
  {
    name: 'a stream of a message',
    frames: [
      messageStart({ ...messagesUsage, output_tokens: 1 }),
      event('ping'),
      delta,
      event('message_delta', {
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 503, cache_read_input_tokens: null },
      }),
      event('message_stop'),
    ],
    counts: [100_298, 503, 100_801],
    classes: { ...messagesInput, response_token: 503 },
  },
  {
    name: "Gemini's own format",
    body: {
      candidates: [{ content: { parts: [] } }],
      usageMetadata: geminiUsage,
      modelVersion: 'gemini-2.5-flash',
    },
    counts: [1030, 120, 1150],
    classes: geminiClasses,
  },
  {
    name: "a stream in Gemini's own format",
    frames: [
      data({ candidates: [], usageMetadata: { promptTokenCount: 1000, totalTokenCount: 1000 } }),
      data({ usageMetadata: geminiUsage }),
    ],
    counts: [1030, 120, 1150],
    classes: geminiClasses,
  },
  {
    name: 'an image of Gemini',
    body: {
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 1300,
        totalTokenCount: 1310,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
      },
    },
    counts: [10, 1300, 1310],
    classes: { request_token: 10, response_image_token: 1290, response_token: 10 },
  },
  {
    name: "Bedrock's converse",
    body: { output: {}, stopReason: 'end_turn', usage: converseUsage },
    counts: [1112, 34, 1146],
    classes: converseClasses,
  },
  {
    name: "a stream of Bedrock's converse",
    frames: [
      '\u0000\u0001:event-type{"contentBlockIndex":0}\u0002',
      `\u0000:event-type{"metrics":{"latencyMs":5},"usage":${JSON.stringify(converseUsage)}}\u0003`,
    ],
    counts: [1112, 34, 1146],
    classes: converseClasses,
  },
  {
    name: 'Cohere, which bills less than it reads',
    body: { message: {}, usage: cohereUsage },
    counts: [71, 12, 83],
    classes: { request_token: 5, response_token: 10 },
  },
  {
    name: "Cohere in OpenAI's format",
    body: {
      usage: {
        prompt_tokens: 71,
        completion_tokens: 12,
        total_tokens: 83,
        prompt_tokens_details: { cached_tokens: 2 },
        billed_units: { input_tokens: 5, output_tokens: 10 },
      },
    },
    counts: [71, 12, 83],
    classes: { cache_read_input_token: 2, request_token: 3, response_token: 10 },
  },
  {
    name: "Cohere's first version",
    body: { text: 'x', meta: { api_version: { version: '1' }, ...cohereUsage } },
    counts: [71, 12, 83],
    classes: { request_token: 5, response_token: 10 },
  },
  {
    name: "a stream of Cohere's",
    frames: [
      data({ type: 'content-delta' }),
      data({ type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: cohereUsage } }),
    ],
    counts: [71, 12, 83],
    classes: { request_token: 5, response_token: 10 },
  },
  {
    name: 'a ranking',
    body: { results: [], meta: { billed_units: { search_units: 3 } } },
    counts: [null, null, null],
    classes: { search: 3 },
  },
  {
    name: 'pages that were read',
    body: { pages: [], usage_info: { pages_processed: 29, doc_size_bytes: 3002783 } },
    counts: [null, null, null],
    classes: { pages: 29 },
  },
];
