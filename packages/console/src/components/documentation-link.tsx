/** A link to a page of the documentation, which is not served with the console. */
const DOCUMENTATION = 'https://github.com/writecheck/writecheck/blob/main/docs/';

export function DocumentationLink({
  to = 'README.md',
  children,
}: {
  readonly to?: string;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <a href={`${DOCUMENTATION}${to}`} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
