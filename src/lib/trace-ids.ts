import { hash, randomBytes } from 'node:crypto';

const traceForm = /^(?!0{32})[0-9a-f]{32}$/;
const spanForm = /^(?!0{16})[0-9a-f]{16}$/;

/** Whether a trace id is one that W3C Trace Context and OpenTelemetry know: 32 hexadecimal digits, not all of them 0. */
export const isW3cTraceId = (id: string): boolean => traceForm.test(id);

/** A trace id in W3C's form: the id itself where it has that form, else always the same digits for the same id. */
export const w3cTraceId = (id: string): string =>
  traceForm.test(id) ? id : hash('sha256', `trace ${id}`).slice(0, 32);

/** A span id in W3C's form, 16 hexadecimal digits, likewise. */
export const w3cSpanId = (id: string): string =>
  spanForm.test(id) ? id : hash('sha256', `span ${id}`).slice(0, 16);

/** A new span id in W3C's form. */
export const newSpanId = (): string => randomBytes(8).toString('hex');
