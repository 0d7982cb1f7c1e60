/** How to see a workspace at work before having one. */
export function DemoHint() {
  return (
    <>
      To look around in a made-up week first, run <code>npm start -- --demo</code>; it has a store of its own.
    </>
  );
}
