/** The pages that two keys lead to, by the second key after `g`. */
export const PLACES: { readonly [key: string]: { readonly path: string; readonly name: string } } = {
  o: { path: '/overview', name: 'Overview' },
  i: { path: '/reviews', name: 'Inbox' },
  d: { path: '/decisions', name: 'Decisions' },
  a: { path: '/agents', name: 'Agents' },
  p: { path: '/policies', name: 'Policies' },
};
