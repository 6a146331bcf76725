import { Toast as Parts } from '@base-ui/react/toast';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icons.tsx';
import type { Tone } from './state.tsx';

const manager = Parts.createToastManager();

type Said = {
  tone?: Extract<Tone, 'ok' | 'bad'>;
  detail?: string;
  action?: { label: string; run(): void };
};

/** Says in a corner what has become of something, for five seconds; a failure stays until it is closed. */
export function say(title: string, { tone = 'ok', detail, action }: Said = {}): void {
  manager.add({
    title,
    description: detail,
    type: tone,
    timeout: tone === 'bad' ? 0 : 5000,
    priority: tone === 'bad' ? 'high' : 'low',
    data: { action },
  });
}

function List() {
  const { toasts, close } = Parts.useToastManager<{ action?: Said['action'] }>();
  return toasts.map((toast) => (
    <Parts.Root
      key={toast.id}
      toast={toast}
      swipeDirection={['right', 'down']}
      className={
        'flex w-full items-start gap-2 rounded-panel border border-line bg-surface p-3 shadow-float transition-[opacity,translate] ' +
        'data-[starting-style]:translate-y-2 data-[starting-style]:opacity-0 data-[ending-style]:opacity-0'
      }
    >
      <span className={toast.type === 'bad' ? 'mt-0.5 text-bad' : 'mt-0.5 text-ok'}>
        <Icon name={toast.type === 'bad' ? 'bad' : 'ok'} size={15} />
      </span>
      <div className="min-w-0 flex-1">
        <Parts.Title className="text-body font-[560]" />
        <Parts.Description className="text-meta text-muted" />
      </div>
      {toast.data?.action && (
        <Button
          onClick={() => {
            toast.data?.action?.run();
            close(toast.id);
          }}
        >
          {toast.data.action.label}
        </Button>
      )}
      <Parts.Close render={<IconButton icon="cross" label="Close" className="-m-1" />} />
    </Parts.Root>
  ));
}

/** The corner in which `say` speaks; once in a page. */
export function Toasts() {
  return (
    <Parts.Provider toastManager={manager}>
      <Parts.Portal>
        <Parts.Viewport className="fixed right-4 bottom-4 z-50 flex w-[min(380px,calc(100vw-32px))] flex-col gap-2 max-sm:bottom-16">
          <List />
        </Parts.Viewport>
      </Parts.Portal>
    </Parts.Provider>
  );
}
