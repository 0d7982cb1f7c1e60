/** Where one tries. */
export default function Playground() {
  return (
    <div class="page">
      <h1>Playground</h1>
    </div>
  );
}
