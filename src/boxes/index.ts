export { type Boxes, createBoxes } from './boxes.ts';
export { createExtractText, type Extraction, type ExtractText } from './extract-text.ts';
