export { cutsOf } from './cuts.ts';
export { type EventText, textsOf } from './event-texts.ts';
export { type HeldBack, HOLD_NOTHING, Lane } from './lane.ts';
export { ResultSum } from './result-sum.ts';
export { contextOf, pieceEnd } from './sentences.ts';
export { WindowBody } from './window-body.ts';
