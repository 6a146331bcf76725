/** Tells where a JSON object that comes in pieces ends. */
export class ObjectEnd {
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  isReached = false;

  feed(text: string): void {
    for (let index = 0; index < text.length && !this.isReached; index++) this.#take(text.charCodeAt(index));
  }

  #take(code: number): void {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === BACKSLASH) this.#isEscaped = true;
      else if (code === QUOTE) this.#inString = false;
    } else if (code === QUOTE) this.#inString = true;
    else if (code === OPEN_BRACE) this.#depth++;
    else if (code === CLOSE_BRACE) this.isReached = --this.#depth === 0;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
