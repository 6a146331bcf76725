// What the members of the bodies of all known formats hold. A name that stands in none of these sets holds text.

const names = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).filter(Boolean));

/** Lists whose items are the messages of a conversation, at the top of a request. */
export const conversations = names('messages input contents chat_history');

/** Lists whose items are alternatives, at the top of an answer. */
export const alternatives = names('choices candidates generations');

/** Ids, kinds and settings. A value of theirs that is one word without spaces is no text. */
export const settings = names(`
  id object model type role status finish_reason finishReason stop_reason stopReason stop_sequence incomplete_details
  tool_call_id call_id item_id response_id previous_response_id conversation container tool_use_id toolUseId file_id
  fingerprint system_fingerprint service_tier tool_choice toolChoice parallel_tool_calls effort verbosity format quality
  size style voice response_format encoding_format truncation truncate include modalities language background
  moderation output_format output_config detail mime_type media_type mimeType mediaType cache_control cachePoint ttl
  input_type embedding_types task_type timestamp_granularities reasoning_effort summary_format aspect_ratio
  responseMimeType responseModalities mode strategy behavior index created created_at completed_at provider
  anthropic_version version region purpose completion_window endpoint input_file_id training_file validation_file
  encoding codec blockReason category probability threshold execution_status phase namespace server_label caller
  obfuscation event_id previous_item_id input_audio_format output_audio_format eagerness
`);

/** Words about a call that are not put to the model as they stand. */
export const labels = names(`
  user metadata safety_identifier prompt_cache_key labels requestMetadata user_id session_id trace_id
`);

/** Counts, vectors, and the words of other texts one by one, in an answer. */
export const skipped = names(`
  usage usageMetadata logprobs top_logprobs logprobsResult embedding embeddings vector token_ids hook_results
  prompt_token_ids prompt_logprobs
`);

/** The words of a text one by one: they go where that text is changed. */
export const tokenMembers = names('logprobs logprobsResult token_ids prompt_logprobs');

/** In a request, lists of numbers that stand for words. */
export const tokenLists = names('prompt_token_ids token_ids input_ids tokens context');
/** The same as vectors. */
export const vectorMembers = names('prompt_embeds input_embeds inputs_embeds');

/** What callers, models and tools name as they like: no name below has a meaning of its own. */
export const freeMembers = names(`
  metadata requestMetadata variables json parameters input_schema inputSchema schema responseSchema json_schema
  structuredContent properties
`);
/** What the member `type` of a schema says. */
export const schemaTypes = names('string object array number integer boolean null');

/** Members at the top of the requests and answers of known formats: one of them is enough to know a body by. */
export const knownMembers = names(`
  messages input contents chat_history choices candidates generations object model type content output prompt system
  instructions id endpoint query documents session response error results
`);

/** Texts of any length; of texts elsewhere those of up to three characters say nothing. */
export const textMembers = names(`
  content text prompt input arguments partial_json output thinking reasoning_content reasoning refusal query message
  system instructions transcript outputText inputText completion generated_text
`);

/** The system prompt under its names. */
export const systemMembers = names(`
  system instructions systemInstruction system_instruction system_prompt preamble developer_message
`);

export const reasoningMembers = names(`
  reasoning reasoning_content reasoning_details reasoning_text thinking reasoningContent thought
`);

/** Names of things, and what tools and schemas say of themselves. */
export const titleMembers = names(
  'name title description filename file_name fileName displayName display_name',
);

/** What is offered to the model as tools, and the shape that its answer shall have. */
export const schemaMembers = names(
  'tools functions toolConfig response_format text_format json_schema responseSchema',
);

export const urlMembers = names('url uri image_url file_url fileUri file_uri gcs_uri s3Location');

/** Bytes in base64. */
export const binaryMembers = names(`
  data b64_json bytes file_data image base64 encrypted_content signature thoughtSignature thought_signature
  partial_image_b64 audio
`);

export const argumentMembers = names('arguments partial_json');

/** Kinds of objects that call a tool. */
export const callTypes = names('tool_use function_call server_tool_use custom_tool_call mcp_call function');
/** Members that hold such a call and say so by their name. */
export const callMembers = names('toolUse functionCall function_call');
export const callInputs = names('input args arguments parameters');

export const resultTypes =
  /^(?:tool_result|web_search_tool_result|.*_call_output|.*_tool_result|function_response)$/;
export const resultMembers = names('toolResult functionResponse tool_results');

export const assistantRoles = names('assistant model chatbot CHATBOT ai ASSISTANT MODEL');
export const systemRoles = names('system developer SYSTEM DEVELOPER');
export const toolRoles = names('tool function TOOL FUNCTION');

/** Names that known formats give their members: a long one of them says no more than a short one, and is no text. */
export const formatMembers: ReadonlySet<string> = new Set(
  [
    ...[settings, labels, skipped, tokenLists, vectorMembers, freeMembers, knownMembers, textMembers],
    ...[systemMembers, reasoningMembers, titleMembers, schemaMembers, urlMembers, binaryMembers],
    ...[argumentMembers, callMembers, callInputs, resultMembers],
    names('max_completion_tokens max_output_tokens frequency_penalty presence_penalty generationConfig'),
  ].flatMap((some) => [...some]),
);
