/** A reason of the service for people who never saw a policy; names in backticks stay as they are. */
import { fullMoment } from '../moment.tsx';

const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/within the last 1 day/g, 'within 24 hours'],
  [/within the last 1 (minute|hour|second)/g, 'within one $1'],
  [/within the last /g, 'within '],
  [/\ban attested PASS\b/g, 'a signed pass'],
  [/\ba PASS\b/g, 'a pass'],
  [/ has no evidence;/g, ' is missing;'],
  [/^All 2 required/g, 'Both required'],
];

export function plainReason(text: string): string {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? part : inPlainWords(part)))
    .join('`');
}

const MOMENT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z\b/g;

function inPlainWords(text: string): string {
  const worded = PLAIN.reduce((now, [from, to]) => now.replace(from, to), text);
  return worded.replace(MOMENT, (moment) => fullMoment(new Date(moment)));
}
