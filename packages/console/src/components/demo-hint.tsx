/** Says how to start the demo. */
export function DemoHint() {
  return (
    <>
      To look around in a made-up week first, run <code>npm start -- --demo</code>; it has a store of its own.
    </>
  );
}
