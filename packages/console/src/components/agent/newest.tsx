/** Says that figures are not of all stopped writes. */
export function Newest({ areAll }: { readonly areAll: boolean }) {
  if (areAll) return null;
  return (
    <p class="quiet small-text">
      Counted from the newest 2,000 paused and 2,000 blocked writes; earlier ones are left out.
    </p>
  );
}
