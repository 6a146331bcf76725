export { type Bill, billFor, makesSomething, type PricedCall } from './bill.ts';
export { usualCalculation } from './calculation.ts';
export { loadCatalogue } from './catalogue.ts';
export { priceListOf } from './convert.ts';
export { priceTiersOf } from './long-input.ts';
export type { Calculation, Multipliers, Operand, OwnPricing, Price, PriceList } from './price-list.ts';
export { isTokenUnit, type TokenUnit, tokenUnits } from './units.ts';
