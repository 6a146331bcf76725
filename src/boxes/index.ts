export { type BoxEnd, BoxFault, BoxLost } from './box.ts';
export { type Boxes, createBoxes } from './boxes.ts';
export { createExtractText, type Extraction, type ExtractText } from './extract-text.ts';
export { formatOf } from './formats.ts';
export { Unreadable } from './programs/extract/failure.ts';
export { readText } from './programs/extract/text.ts';
export type { CellEnd, Interpreter } from './python/interpreter.ts';
export { createInterpreters, type Interpreters } from './python/interpreters.ts';
export { createTurns } from './turns.ts';
