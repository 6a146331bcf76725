/** A JSON value that is an object. */
export type JsonObject = Record<string, unknown>;

/** Whether a JSON value is an object, which arrays and null are not. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON object that a text spells; null when the text is no JSON, or another value. */
export function parsedObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
