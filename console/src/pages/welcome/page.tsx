import { Page } from '../../ui/index.ts';

export default function Welcome() {
  return <Page title="Welcome">…</Page>;
}
export function Detail({ id }: { id: string }) {
  return <Page title={id}>…</Page>;
}
