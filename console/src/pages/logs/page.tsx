import { Page } from '../../ui/index.ts';

export default function Logs() {
  return <Page title="Logs">…</Page>;
}
export function Detail({ id }: { id: string }) {
  return <Page title={id}>…</Page>;
}
