import { authorize } from '../../credentials/anthropic.ts';
import { claudeDialects } from '../../kinds/claude/dialects.ts';

export const { chatComplete, complete, models } = claudeDialects('anthropic', authorize);
