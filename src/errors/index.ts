export { catalogue, type ErrorEntry, type ErrorName } from './catalogue.ts';
export { administrationBody, errorHeaders, inferenceBody, oauthBody, toGatewayError } from './format.ts';
export { type ErrorDetails, GatewayError, invalidInput } from './gateway-error.ts';
export { publicText } from './public-text.ts';
