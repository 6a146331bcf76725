import { invalidInput } from '../../errors/index.ts';

/** The values of `include` that programs send: the texts that searches found. */
const includes = ['step_details.tool_calls[*].file_search.results[*].content'];

export type Included = { include?: readonly string[] | null };

/** Whether an answer is to have the texts that searches found. Throws INVALID_INPUT for what cannot be included. */
export function showsContents(include: Included['include']): boolean {
  const unknown = include?.find((value) => !includes.includes(value));
  if (unknown !== undefined) throw invalidInput('include', `include must be ${includes.join(' or ')}.`);
  return (include?.length ?? 0) > 0;
}
