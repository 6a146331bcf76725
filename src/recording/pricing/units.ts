/** Units of the price list that count tokens. */
export const tokenUnits = [
  'request_token',
  'response_token',
  'cache_read_input_token',
  'cache_write_input_token',
  'cache_write_1h_input_token',
  'request_audio_token',
  'response_audio_token',
  'cache_read_audio_input_token',
  'reasoning_token',
  'request_text_token',
  'response_text_token',
  'request_image_token',
  'response_image_token',
  'request_video_token',
  'response_video_token',
  'cache_read_text_input_token',
  'cache_read_image_input_token',
  'cache_write_text_input_token',
  'cache_write_image_input_token',
  'prediction_accepted_token',
  'prediction_rejected_token',
] as const;

export type TokenUnit = (typeof tokenUnits)[number];

export const isTokenUnit = (name: string): name is TokenUnit =>
  (tokenUnits as readonly string[]).includes(name);

const request: TokenUnit[] = ['request_token', 'request_text_token'];
const response: TokenUnit[] = ['response_token', 'response_text_token'];

/**
 * The units whose price a unit has where the list does not name it, nearest first: reasoning is billed as output, a cached
 * token of a model without a price for those as a token of the request.
 */
export const broaderUnits: Record<TokenUnit, readonly TokenUnit[]> = {
  request_token: ['request_text_token'],
  request_text_token: ['request_token'],
  request_audio_token: request,
  request_image_token: request,
  request_video_token: request,
  cache_read_input_token: ['cache_read_text_input_token', ...request],
  cache_read_text_input_token: ['cache_read_input_token', ...request],
  cache_read_audio_input_token: ['cache_read_input_token', 'request_audio_token', ...request],
  cache_read_image_input_token: ['cache_read_input_token', 'request_image_token', ...request],
  cache_write_input_token: ['cache_write_text_input_token', ...request],
  cache_write_1h_input_token: ['cache_write_input_token', 'cache_write_text_input_token', ...request],
  cache_write_text_input_token: ['cache_write_input_token', ...request],
  cache_write_image_input_token: ['cache_write_input_token', 'request_image_token', ...request],
  response_token: ['response_text_token'],
  response_text_token: ['response_token'],
  reasoning_token: response,
  response_audio_token: response,
  response_image_token: response,
  response_video_token: response,
  prediction_accepted_token: response,
  prediction_rejected_token: response,
};
