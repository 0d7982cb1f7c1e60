/** The readable name of a control, with its id on hover. */
import { controlInWords } from './member-labels.ts';
import { BriefCallerText } from './text.tsx';

export function ControlName({ id }: { readonly id: string }) {
  return (
    <span title={id}>
      <BriefCallerText text={controlInWords(id)} />
    </span>
  );
}
