import { useState } from 'react';
import { useDocument, useOperation } from '../../../data/use-document.ts';
import { useSearch } from '../../../shell/address.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { Banner, Button, Id, TextArea, TextField } from '../../../ui/index.ts';
import { AskAssistantDocument, GoOnDocument, ThreadShownDocument } from '../documents.ts';
import { isOpen, isUnderWay, textOf } from './thread.ts';
import { Timeline } from './timeline.tsx';
import { useFollowed } from './use-followed.ts';

/** A thread with its runs, which the address names, and what to say next. */
export function Conversation({ assistant }: { assistant: string }) {
  const [{ thread = '' }, change] = useSearch();
  const [text, setText] = useState('');
  const { refusal } = useMay('completions.write');
  const query = useDocument(ThreadShownDocument, { id: thread }, { isEnabled: thread !== '' });
  const runs = thread === '' ? [] : (query.data?.runs?.data ?? []);
  useFollowed(thread, runs.find(isUnderWay)?.id ?? null);
  const changes = [ThreadShownDocument.name];
  const begin = useOperation(AskAssistantDocument, {
    onDone({ createThreadAndRun: { threadId } }) {
      setText('');
      change({ thread: threadId });
    },
  });
  const goOn = useOperation(GoOnDocument, { changes, onDone: () => setText('') });
  const messages = [{ role: 'user' as const, content: text }];
  const error = begin.error ?? goOn.error;
  const send = () =>
    thread === ''
      ? begin.mutate({ input: { assistantId: assistant, thread: { messages } } })
      : goOn.mutate({ thread, input: { assistantId: assistant, additionalMessages: messages } });
  const waits = runs.some(isOpen) ? 'A run is under way.' : null;
  return (
    <div className="grid gap-4 px-4 py-4 sm:px-6 xl:grid-cols-[1fr_420px]">
      <div className="flex min-w-0 flex-col gap-3">
        {thread !== '' && (
          <Asked query={query} what="The thread">
            {({ threadMessages }) => (
              <ol className="flex flex-col gap-3">
                {threadMessages?.data.map((message) => (
                  <li key={message.id} className="grid gap-x-4 sm:grid-cols-[72px_1fr]">
                    <span className="text-meta font-[560] text-muted">{message.role}</span>
                    <p className="max-w-[72ch] break-words whitespace-pre-wrap">{textOf(message)}</p>
                  </li>
                ))}
              </ol>
            )}
          </Asked>
        )}
        <TextArea
          label={thread === '' ? 'Begin a thread' : 'Go on'}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        {error && <Banner tone="bad">{error.message}</Banner>}
        <Button
          look="primary"
          className="self-start"
          refusal={refusal ?? waits ?? (text.trim() === '' ? 'Write something.' : null)}
          isBusy={begin.isPending || goOn.isPending}
          onClick={send}
        >
          Send
        </Button>
        <ThreadChoice key={thread} thread={thread} onChoose={(id) => change({ thread: id || null })} />
      </div>
      <div className="flex min-w-0 flex-col gap-3">
        {[...runs].reverse().map((run) => (
          <Timeline key={run.id} thread={thread} run={run} />
        ))}
      </div>
    </div>
  );
}

/** Threads belong to programs, which know their ids. */
function ThreadChoice({ thread, onChoose }: { thread: string; onChoose(id: string): void }) {
  const [id, setId] = useState('');
  if (thread !== '')
    return (
      <p className="flex items-center gap-2 text-meta text-muted">
        Thread <Id>{thread}</Id>
        <Button look="quiet" onClick={() => onChoose('')}>
          Another thread
        </Button>
      </p>
    );
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(id.trim());
      }}
    >
      <TextField
        label="Or open a thread of a program"
        isMono
        placeholder="thread_…"
        maxLength={255}
        value={id}
        onChange={({ target }) => setId(target.value)}
      />
      <Button type="submit" refusal={id.trim() === '' ? 'Paste its id.' : null}>
        Open
      </Button>
    </form>
  );
}
