import { useSearch } from '../../../shell/address.ts';

/** Which row of a list is open, as the address has it, so that a link reproduces it. */
export function useChosen(): [string | null, (id: string | null) => void] {
  const [{ open = null }, change] = useSearch();
  return [open, (id) => change({ open: id })];
}
