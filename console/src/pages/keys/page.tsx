import { Page } from '../../ui/index.ts';

export default function Keys() {
  return <Page title="Keys">…</Page>;
}
export function Detail({ id }: { id: string }) {
  return <Page title={id}>…</Page>;
}
