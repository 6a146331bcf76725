export {
  type AskedCall,
  boundOf,
  type CallBound,
  capForCost,
  capForTokens,
  costAt,
  mostCost,
  mostTokens,
} from './bound.ts';
export { modelMaximum } from './model-maximum.ts';
export { capMember } from './output-side.ts';
export { SeenOutputs } from './seen-outputs.ts';
export { type Tariff, tariffOf } from './tariff.ts';
