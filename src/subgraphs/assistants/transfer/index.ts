export { exportedLines, transferOwner } from './export.ts';
export { importLines } from './import.ts';
