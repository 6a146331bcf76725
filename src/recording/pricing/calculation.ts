import type { Calculation, Operand } from './price-list.ts';

/** The value of an expression; null when it needs one that is not known. What is multiplied by nothing need not be known. */
export function evaluate(operand: Operand, numberOf: (name: string) => number | null): number | null {
  if ('value' in operand) return numberOf(operand.value);
  const values = operand.operands.map((each) => evaluate(each, numberOf));
  if (operand.operation === 'multiply' && values.includes(0)) return 0;
  const known = values.filter((value) => value !== null);
  if (known.length < values.length) return null;
  return operand.operation === 'sum'
    ? known.reduce((total, value) => total + value, 0)
    : known.reduce((product, value) => product * value, 1);
}

const product = (quantity: string, unit: string): Calculation => ({
  operation: 'multiply',
  operands: [{ value: quantity }, { value: `rates.${unit}` }],
});

/** How the quantities of a model come together that says nothing else about it. */
export const usualCalculation: { request: Calculation; response: Calculation } = {
  request: {
    operation: 'sum',
    operands: [
      product('input_tokens', 'request_token'),
      product('cache_write_tokens', 'cache_write_input_token'),
      product('cache_read_tokens', 'cache_read_input_token'),
    ],
  },
  response: product('output_tokens', 'response_token'),
};
