/** To follow. */
export default function Stub() {
  return (
    <div class="page">
      <h1>To follow</h1>
    </div>
  );
}
