import { GatewayError } from '../../../errors/index.ts';
import { isObject } from '../values.ts';

const invalid = (message: string, param: string) => new GatewayError('VALIDATION_FAILED', { message, param });

/** `{type: static, pay_as_you_go: {request_token: {price}, response_token: {price}}}`, prices in cents per token. */
export function parsePricing(value: unknown, param: string): Record<string, unknown> | null {
  if (value === undefined || value === null) return null;
  const config = asObject(value, param, ['type', 'pay_as_you_go']);
  if ((config.type ?? 'static') !== 'static')
    throw invalid('The pricing type must be static.', `${param}.type`);
  const path = `${param}.pay_as_you_go`;
  const prices = asObject(config.pay_as_you_go, path, ['request_token', 'response_token']);
  for (const [unit, price] of Object.entries(prices)) {
    const { price: amount } = asObject(price, `${path}.${unit}`, ['price']);
    if (typeof amount !== 'number' || !(amount >= 0 && amount <= 1e6)) {
      throw invalid('A price is a number from 0 to 1000000.', `${path}.${unit}.price`);
    }
  }
  return { type: 'static', pay_as_you_go: prices };
}

function asObject(value: unknown, param: string, known: readonly string[]): Record<string, unknown> {
  if (!isObject(value)) throw invalid(`${param} must be an object.`, param);
  const stranger = Object.keys(value).find((name) => !known.includes(name));
  if (stranger !== undefined) throw invalid(`${param}.${stranger} is not supported.`, `${param}.${stranger}`);
  return value;
}
