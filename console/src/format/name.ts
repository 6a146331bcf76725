/** `AL` of `ada.lovelace@example.com`, and `C` of the key `ci`. */
export const initials = (name: string): string =>
  (name.split('@')[0] ?? '')
    .split(/[\s._-]+/)
    .slice(0, 2)
    .map((part) => part.charAt(0).toUpperCase())
    .join('');
