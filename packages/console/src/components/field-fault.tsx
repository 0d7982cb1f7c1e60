/** An error beside the field that caused it. */
import type { Failure } from '../api.ts';
import { Told } from './text.tsx';

export function FieldFault({ text }: { readonly text: string | null }) {
  return text === null ? null : (
    <span class="field-fault" role="alert">
      <Told text={text} />
    </span>
  );
}

/** What the service says about one member of a form, or about something inside it. */
export function faultAt(failure: Failure | null, pointer: string): string | null {
  const found = failure?.details.find((detail) => isWithin(detail.pointer, pointer));
  return found?.message ?? null;
}

/** Errors shown at their field are not repeated below: null if no other is left. */
export function withoutPlaced(failure: Failure, placed: readonly string[]): Failure | null {
  const details = failure.details.filter(({ pointer }) => !placed.some((each) => isWithin(pointer, each)));
  return details.length === 0 && failure.details.length > 0 ? null : { ...failure, details };
}

function isWithin(pointer: string, member: string): boolean {
  return pointer === member || pointer.startsWith(`${member}/`);
}
