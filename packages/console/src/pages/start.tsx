/** Where one begins. */
export default function Start() {
  return (
    <div class="page">
      <h1>Start</h1>
    </div>
  );
}
