/** One name and value in a list of facts. */
export function Fact({
  name,
  kind,
  children,
}: {
  readonly name: preact.ComponentChildren;
  readonly kind?: string;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={kind}>{children}</dd>
    </div>
  );
}
