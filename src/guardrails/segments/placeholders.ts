/** The most different texts of one call that get numbers; all further ones get the last. */
const MAX_NUMBERS = 10_000;

/** Numbers of what was replaced in a call: equal texts have the same one, so that who reads them can still tell them apart. */
export class Placeholders {
  readonly #numbers = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  /** `{{EMAIL_ADDRESS_1}}` for the first e-mail address. */
  of(kind: string, text: string): string {
    const key = `${kind}\n${text}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = Math.min((this.#counts.get(kind) ?? 0) + 1, MAX_NUMBERS);
      this.#counts.set(kind, number);
      if (this.#numbers.size < MAX_NUMBERS) this.#numbers.set(key, number);
    }
    return `{{${kind}_${number}}}`;
  }
}
