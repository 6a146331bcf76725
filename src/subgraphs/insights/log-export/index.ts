export { createLogExports } from './assembly.ts';
export { type LinkMembers, linkedContent } from './content.ts';
export { type LogExportDocument, logExportModel } from './model.ts';
