export type JsonObject = Record<string, unknown>;

/** Whether a JSON value is an object, which arrays and null are not. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
