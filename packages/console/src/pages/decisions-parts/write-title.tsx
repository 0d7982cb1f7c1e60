/** What a write does, as a title: "Change iban of vendor V-2077". */
import { BriefCallerText, CallerText } from '../../components/caller-text.tsx';

export interface WriteTarget {
  readonly system?: unknown;
  readonly objectType?: unknown;
  readonly objectRef?: unknown;
  readonly field?: unknown;
  readonly operation?: unknown;
}

/** As one text, for the list and for exports. */
export function titleOf(target: WriteTarget): string {
  const { verb, object } = partsOf(target);
  return [verb, object].filter((part) => part !== '').join(' ');
}

/** `isBrief` is for rows, which have no room for a button that expands. */
export function WriteTitle({
  target,
  isBrief,
}: {
  readonly target: WriteTarget;
  readonly isBrief?: boolean;
}) {
  const Text = isBrief ? BriefCallerText : CallerText;
  const { verb, object } = partsOf(target);
  return (
    <>
      {verb !== '' && (
        <>
          <Text text={verb} />{' '}
        </>
      )}
      {object !== '' && <Text text={object} />}
    </>
  );
}

function partsOf({ system, objectType, objectRef, field, operation }: WriteTarget) {
  const object = [objectType, objectRef].filter(isText).join(' ');
  const isNamed = object !== '';
  if (isText(field)) return { verb: isNamed ? `Change ${field} of` : `Change ${field}`, object };
  if (isText(operation)) return { verb: isNamed ? `${operation} on` : operation, object };
  return { verb: '', object: isNamed ? object : isText(system) ? system : '' };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
