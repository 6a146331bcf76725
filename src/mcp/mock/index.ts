export { mockTransport } from './transport.ts';
export { withMock } from './wire.ts';
