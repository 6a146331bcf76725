import { run } from '../../data/run.ts';
import { say } from '../../ui/index.ts';
import { useGo } from '../address.ts';
import { IdentifySecretDocument } from '../documents.ts';
import { hasPage, kindOf, type PaletteEntry } from './entries.ts';

/** What a pasted id or secret leads to. */
export function usePasted(text: string): PaletteEntry[] {
  const go = useGo();
  const kind = kindOf(text);
  if (kind === 'secret') {
    const choose = () =>
      run(IdentifySecretDocument, { secret: text }).then(
        ({ identifyApiKey: { id, works, apiKey } }) => {
          say(`That is a secret of "${apiKey.name}"`, {
            detail: works ? 'It works: rotate it.' : 'It works no more.',
          });
          go(`keys/${id}`);
        },
        (error: Error) => say('Nobody knows that secret', { tone: 'bad', detail: error.message }),
      );
    return [{ id: 'secret', label: 'Whose secret is this?', icon: 'key', note: 'Leaked key', choose }];
  }
  if (kind === 'config' && hasPage('configs'))
    return [
      {
        id: 'config',
        label: `Config ${text}`,
        icon: 'configs',
        note: 'Id',
        choose: () => go(`configs/${text}`),
      },
    ];
  if (kind !== 'log') return [];
  return [
    { id: 'log', label: `Log ${text}`, icon: 'logs', note: 'Id', choose: () => go(`logs/${text}`) },
    {
      id: 'trace',
      label: `Logs of the trace ${text}`,
      icon: 'logs',
      note: 'Trace',
      choose: () => go('logs', { q: `trace:${text}`, range: '30d' }),
    },
  ];
}
