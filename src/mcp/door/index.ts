export { createMcpAuthenticate } from './authenticate.ts';
export { createMcpDoor, type McpDoor } from './door.ts';
