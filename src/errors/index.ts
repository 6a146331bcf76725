export { catalogue, type ErrorEntry, type ErrorName } from './catalogue.ts';
export {
  administrationBody,
  errorHeaders,
  inferenceBody,
  type OpenAiError,
  oauthBody,
  openAiBody,
  textBody,
  toGatewayError,
} from './format.ts';
export { type ErrorDetails, GatewayError, invalidInput } from './gateway-error.ts';
export { publicText } from './public-text.ts';
