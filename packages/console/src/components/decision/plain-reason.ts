/** A reason of the service for people who never saw a policy; names in backticks stay as they are. */

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
    .map((part, at) => (at % 2 === 1 ? part : PLAIN.reduce((now, [from, to]) => now.replace(from, to), part)))
    .join('`');
}
