export { type Bill, billFor, costIn, isRefusal, makesSomething, type PricedCall } from './bill.ts';
export { usualCalculation } from './calculation.ts';
export { type Catalogue, isPriced, loadCatalogue } from './catalogue.ts';
export { knownTerms, priceListOf } from './convert.ts';
export { type BilledImages, costOf } from './cost.ts';
export { decodeCostLines } from './cost-lines.ts';
export { priceTiersOf } from './long-input.ts';
export type { Calculation, Multipliers, Operand, OwnPricing, Price, PriceList } from './price-list.ts';
export { isTokenUnit, type TokenUnit, tokenUnits } from './units.ts';
