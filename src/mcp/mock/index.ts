export { mockTransport } from './transport.ts';
