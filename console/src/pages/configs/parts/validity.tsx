import { counted } from '../../../format/number.ts';
import { Status } from '../../../ui/index.ts';

/** Whether what is written is a config. `config`: undefined for no JSON; `problems`: null until the service has said. */
export const Validity = ({ config, problems }: { config: unknown; problems: number | null }) => (
  <span aria-live="polite" className="flex-1">
    {config === undefined ? (
      <Status tone="bad">This is no JSON.</Status>
    ) : problems === null ? null : problems > 0 ? (
      <Status tone="bad">{counted(problems, 'problem')}</Status>
    ) : (
      <Status tone="ok">Valid</Status>
    )}
  </span>
);
