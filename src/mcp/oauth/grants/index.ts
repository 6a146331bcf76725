export { isMcpToken } from './access-token.ts';
export { type Consented, makeGrant, useCode } from './code.ts';
export { endGrant, type GrantDeps, type McpTokenAnswer, tokensOf } from './issue.ts';
export { type GrantHolder, type McpGrantDocument, mcpGrantModel, usedOnceModel } from './model.ts';
export { createMcpGrants, type McpGrantRecord, type McpGrants } from './records.ts';
export { useRefreshToken } from './refresh.ts';
export { readRefreshToken } from './refresh-token.ts';
export { isFirstUse } from './used-once.ts';
export { createMcpTokenVerifier, type McpTokenBearer, type McpTokenVerifier } from './verify.ts';
