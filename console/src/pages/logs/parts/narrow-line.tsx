import { money } from '../../../format/money.ts';
import { clock, duration, type Zone } from '../../../format/time.ts';
import { type NarrowRow, Status } from '../../../ui/index.ts';
import { keyOfLine, type Line, toneOf } from './line.ts';

/** A log where the page is narrow. */
export const narrowLine =
  (zone: Zone) =>
  (line: Line): NarrowRow => ({
    lead: (
      <>
        <Status tone={toneOf(line)}>{line.responseStatusCode || 'none'}</Status>{' '}
        <span className="mono">{line.aiModel ?? line.endpoint}</span>
      </>
    ),
    side:
      line.cost === null
        ? duration(line.responseTime)
        : `${duration(line.responseTime)} · ${money(line.cost)}`,
    meta: `${clock(line.createdAt, zone)} · ${keyOfLine(line)}${line.providerSlug ? ` · @${line.providerSlug}` : ''}`,
  });
