import { claudeDialects } from '../../kinds/claude/dialects.ts';
import { authorize } from './authorize.ts';

export const { chatComplete, complete, models } = claudeDialects('anthropic-aws', authorize);
