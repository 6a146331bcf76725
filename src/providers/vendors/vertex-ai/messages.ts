import { buffers, type Hosting, hostedMessages } from '../../kinds/claude/hosted-messages.ts';
import { authorize } from './authorize.ts';
import { CLAUDE_VERSION, claudeUrl } from './places.ts';

const hosting: Hosting = {
  url: ({ connection, model }, isStreamed) => claudeUrl(connection, model, isStreamed),
  members: () => ({ anthropic_version: CLAUDE_VERSION }),
  events: buffers,
};

export const messages = hostedMessages({ id: 'vertex-ai', authorize }, hosting);
