import { invalidInput } from '../../../errors/index.ts';
import { isObject } from '../../../lib/json.ts';
import {
  type Calculation,
  type Operand,
  type Price,
  type PriceList,
  tokenUnits,
} from '../../../recording/pricing/index.ts';
import type { IntegrationModel } from './model.ts';
import { amountOf, namedOf, objectOf } from './price-values.ts';

const maxUnits = 100;
const maxQualities = 20;
const maxSizes = 50;
const maxOperands = 16;
const maxDepth = 8;

/** The administrator's own price list of a model, prices in cents. */
export function parsePricing(value: unknown, param: string): IntegrationModel['pricingConfig'] {
  if (value === undefined || value === null) return null;
  const members = ['type', 'pay_as_you_go', 'calculate', 'currency', 'finetune_config'];
  const config = objectOf(value, param, members);
  if ((config.type ?? 'static') !== 'static')
    throw invalidInput(`${param}.type`, 'The pricing type must be static.');
  if ((config.currency ?? 'USD') !== 'USD')
    throw invalidInput(`${param}.currency`, 'The currency must be USD.');
  const { calculate, finetune_config: finetune } = config;
  return {
    type: 'static',
    pay_as_you_go: parseUnits(config.pay_as_you_go, `${param}.pay_as_you_go`),
    ...(calculate != null && { calculate: parseCalculate(calculate, `${param}.calculate`) }),
    ...(config.currency != null && { currency: 'USD' }),
    ...(finetune != null && { finetune_config: parseFinetune(finetune, `${param}.finetune_config`) }),
  };
}

function parseUnits(value: unknown, param: string): PriceList['pay_as_you_go'] {
  const {
    additional_units: additional,
    image,
    ...tokens
  } = objectOf(value, param, [...tokenUnits, 'additional_units', 'image']);
  const prices = Object.entries(tokens).map(([unit, price]) => [unit, parsePrice(price, `${param}.${unit}`)]);
  const sizes = (member: unknown, path: string) => namedOf(member, path, maxSizes, parsePrice);
  return {
    ...Object.fromEntries(prices),
    ...(additional != null && {
      additional_units: namedOf(additional, `${param}.additional_units`, maxUnits, parsePrice),
    }),
    ...(image != null && { image: namedOf(image, `${param}.image`, maxQualities, sizes) }),
  };
}

const parsePrice = (value: unknown, param: string): Price => ({
  price: amountOf(objectOf(value, param, ['price']).price, 'A price', `${param}.price`),
});

function parseFinetune(value: unknown, param: string): NonNullable<PriceList['finetune_config']> {
  const prices = objectOf(value, param, ['pay_per_token', 'pay_per_hour']);
  const members = Object.entries(prices).map(([name, price]) => [
    name,
    parsePrice(price, `${param}.${name}`),
  ]);
  return Object.fromEntries(members);
}

function parseCalculate(value: unknown, param: string): NonNullable<PriceList['calculate']> {
  const sides = Object.entries(objectOf(value, param, ['request', 'response']));
  return Object.fromEntries(
    sides.map(([side, tree]) => [side, parseCalculation(tree, `${param}.${side}`, maxDepth)]),
  );
}

function parseCalculation(value: unknown, param: string, depth: number): Calculation {
  const { operation, operands } = objectOf(value, param, ['operation', 'operands']);
  if (operation !== 'sum' && operation !== 'multiply')
    throw invalidInput(`${param}.operation`, 'The operation must be sum or multiply.');
  if (!Array.isArray(operands) || operands.length === 0 || operands.length > maxOperands)
    throw invalidInput(`${param}.operands`, `operands is a list of 1 to ${maxOperands}.`);
  return {
    operation,
    operands: operands.map((operand, index) =>
      parseOperand(operand, `${param}.operands[${index}]`, depth - 1),
    ),
  };
}

const quantity = /^(input_tokens|output_tokens|cache_read_tokens|cache_write_tokens|rates\.[a-z0-9_]{1,64})$/;

function parseOperand(operand: unknown, param: string, depth: number): Operand {
  if (!isObject(operand) || !('value' in operand)) {
    if (depth === 0) throw invalidInput(param, `An expression is at most ${maxDepth} levels deep.`);
    return parseCalculation(operand, param, depth);
  }
  const { value } = objectOf(operand, param, ['value']);
  if (typeof value === 'string' && quantity.test(value)) return { value };
  throw invalidInput(
    `${param}.value`,
    'A value is input_tokens, output_tokens, cache_read_tokens, cache_write_tokens or rates.<unit>.',
  );
}
