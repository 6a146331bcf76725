import { useDocument } from '../../data/use-document.ts';
import { money } from '../../format/money.ts';
import { change, percent } from '../../format/number.ts';
import { monthName, type Zone, zoneName } from '../../format/time.ts';
import { useSearch } from '../../shell/address.ts';
import { useRange } from '../../shell/range.ts';
import { useViewer } from '../../shell/session/viewer.ts';
import { Asked } from '../../shell/states/asked.tsx';
import { useZone } from '../../shell/stored.ts';
import { Page } from '../../ui/page.tsx';
import { SpendByMetadataDocument, SpendDocument, type SpendQuery } from './documents.ts';
import { Course } from './parts/course.tsx';
import { byText, dimensions, doorOf, nameOf, readBy } from './parts/dimension.ts';
import { forecastOf, monthOf } from './parts/forecast.ts';
import { NothingSpent } from './parts/nothing-spent.tsx';
import { metadataRows, type Row, rowsOf } from './parts/rows.ts';
import { SpendTable } from './parts/spend-table.tsx';
import { SpendTools } from './parts/spend-tools.tsx';

/** Who spends what, and is it normal? */
export default function Spend() {
  const [search] = useSearch();
  const by = readBy(search.by);
  const metadataKey = 'metadataKey' in by ? by.metadataKey : null;
  const { from, to, isOpen, label, zoom } = useRange('30d');
  const [zone] = useZone();
  const viewer = useViewer();
  const span = Date.parse(to) - Date.parse(from);
  const query = useDocument(SpendDocument, {
    before: new Date(Date.parse(from) - span).toISOString(),
    min: from,
    max: to,
    month: new Date(monthOf(Date.parse(to), zone).from).toISOString(),
    // What a month that is over has cost is no forecast.
    isOpen,
    zone: zoneName(zone),
    by: 'dimension' in by ? by.dimension : 'model',
    mayKeys: viewer.permissions.some((scope) => scope.endsWith('_api_keys.list')),
  });
  const ofMetadata = useDocument(
    SpendByMetadataDocument,
    { min: from, max: to, key: metadataKey ?? '' },
    { isEnabled: metadataKey !== null },
  );
  const head = 'dimension' in by ? dimensions[by.dimension].label : by.metadataKey;
  const { data } = query;
  const rows =
    metadataKey === null
      ? data
        ? rowsOf(by, data)
        : []
      : ofMetadata.data
        ? metadataRows(ofMetadata.data)
        : [];
  const names = new Map(data?.apiKeys?.data.map(({ id, name }) => [id, name]));
  return (
    <Page
      title="Spend"
      answer={data && `${sentenceOf(data, rows, label)}${forecastIn(data, Date.parse(to), zone)}`}
      actions={
        <SpendTools value={byText(by)} metadataKeys={data?.now?.metadataKeys ?? []} rows={rows} head={head} />
      }
    >
      <Asked query={query} what="Costs">
        {({ now }) =>
          !now || now.requests.summary.total === 0 ? (
            <NothingSpent />
          ) : (
            <>
              <Course
                now={now}
                nameOf={(value) => nameOf('dimension' in by ? by : { dimension: 'model' }, value, names)}
                zone={zone}
                until={isOpen ? Date.parse(to) : null}
                hasNames={metadataKey !== null}
                onZoom={zoom}
              />
              <SpendTable
                head={head}
                rows={rows}
                hasSeries={metadataKey === null}
                doorOf={({ value }) => doorOf(by, value)}
              />
            </>
          )
        }
      </Asked>
    </Page>
  );
}

function sentenceOf({ now, before }: SpendQuery, rows: readonly Row[], label: string): string {
  const total = now?.cost.summary.total ?? 0;
  const earlier = before?.cost.summary.total ?? 0;
  const changed = change(total, earlier);
  const compared = changed === 'new' ? '' : `, ${changed} against the time before`;
  const [most] = rows;
  const share = most && most.cost > 0 ? `; ${most.name} is ${percent(most.share)}` : '';
  return `${label}: ${money(total)}${compared}${share}.`;
}

/** What the month comes to, if it goes on as until now. */
function forecastIn({ month }: SpendQuery, now: number, zone: Zone): string {
  const cost = month?.cost.summary.total ?? 0;
  const forecast = forecastOf(cost, monthOf(now, zone), now);
  if (cost === 0 || forecast === null) return '';
  return ` ${monthName(now, zone)} so far: ${money(cost)}, and ${money(forecast)} by its end at this pace.`;
}
