/** What the mock provider cannot answer: told with 400 and the field's name. */
export class BadRequest extends Error {
  readonly param: string;
  constructor(param: string, problem: string) {
    super(`'${param}' ${problem}`);
    this.param = param;
  }
}
