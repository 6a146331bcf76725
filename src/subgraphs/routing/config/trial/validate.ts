import { GatewayError } from '../../../../errors/index.ts';
import type { GraphContext } from '../../../context.ts';
import type { ConfigProblem, ConfigValidation, ValidateConfigInput } from '../../../types.generated.ts';
import { requireValid } from '../service.ts';
import { placeOf } from './candidate.ts';

export async function validateConfig(
  context: GraphContext,
  input: ValidateConfigInput,
): Promise<ConfigValidation> {
  const place = await placeOf(context, input);
  try {
    await requireValid(context, place, input.config, place.saved?.content ?? null);
    return { valid: true, problems: [] };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'INVALID_CONFIG') throw error;
    return { valid: false, problems: (error.errors ?? [error.message]).map(problemOf) };
  }
}

/** The lines of INVALID_CONFIG are `path: …, message: …`. */
function problemOf(line: string): ConfigProblem {
  const [, path = 'config', message = line] = /^path: (.*?), message: (.*)$/s.exec(line) ?? [];
  return { path, message };
}
