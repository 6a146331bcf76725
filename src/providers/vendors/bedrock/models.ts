/** Whether a model on Bedrock is Anthropic's, by its id or the ARN of an inference profile. */
export const isClaude = (model: string): boolean => model.includes('anthropic');
