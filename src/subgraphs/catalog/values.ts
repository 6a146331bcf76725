/** A query for what a path names by its id or by its slug. */
export const idOrSlug = (id: string) => ({ $or: [{ _id: id }, { slug: id }] });
