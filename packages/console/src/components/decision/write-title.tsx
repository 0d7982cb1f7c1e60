/** What a write does, as a title: "Change the IBAN of vendor V-2077", "Refund 1,173.40 USD on payment PAY-7". */

import { fieldInWords, operationInWords } from '../member-labels.ts';
import { BriefCallerText, CallerText } from '../text.tsx';
import { inWords, moneyOf, type SaidIntent } from './said-in-intent.ts';

interface WriteTarget {
  readonly system?: unknown;
  readonly objectType?: unknown;
  readonly objectRef?: unknown;
  readonly field?: unknown;
  readonly operation?: unknown;
  readonly metadata?: unknown;
}

/** As one text, for the list and for exports. */
export function titleOf(target: WriteTarget): string {
  const { verb, object } = partsOf(target);
  return [verb, object].filter((part) => part !== '').join(' ');
}

/** `isBrief` is for rows, which have no room for a button that expands; most have a column for the amount. */
export function WriteTitle({
  target,
  isBrief = false,
  hasAmount = !isBrief,
}: {
  readonly target: WriteTarget;
  readonly isBrief?: boolean;
  readonly hasAmount?: boolean;
}) {
  const Text = isBrief ? BriefCallerText : CallerText;
  const { verb, object } = partsOf(hasAmount ? target : { ...target, metadata: null });
  return (
    <>
      {verb !== '' && (
        <>
          <Text text={verb} />{' '}
        </>
      )}
      {object !== '' && (
        <span class="object-name">
          <Text text={object} />
        </span>
      )}
    </>
  );
}

function partsOf(target: WriteTarget) {
  const { system, objectType, objectRef, field, operation } = target;
  const object = [objectType, objectRef].filter(isText).join(' ');
  const isNamed = object !== '';
  if (isText(field)) {
    const verb = `Change ${fieldInWords(field)}`;
    return { verb: isNamed ? `${verb} of` : verb, object };
  }
  if (isText(operation)) {
    const money = moneyOf(target as SaidIntent);
    const verb = `${operationInWords(operation)}${money === null ? '' : ` ${inWords(money)}`}`;
    return { verb: isNamed ? `${verb} on` : verb, object };
  }
  return { verb: '', object: isNamed ? object : isText(system) ? system : '' };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
