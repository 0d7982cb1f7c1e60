/** The kinds of text a policy document holds. */
import { DURATION_PATTERN, parseInstant } from '@writecheck/contract';
import { text } from './build-shape.ts';
import { quoted } from './faults.ts';

// Lone surrogates (Cs) cannot be sent in an intent, nor can control characters or spaces at the ends.
const NAME_PATTERN = /^[^\p{Cc}\p{Cs}\s](?:[^\p{Cc}\p{Cs}]*[^\p{Cc}\p{Cs}\s])?$/u;
const CONTROL_ID_PATTERN = /^[!-~](?:[ -~]*[!-~])?$/u;
const DATE_TIME_PATTERN =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$/u;

export function name(what: string, description: string) {
  return text({
    what: `${what} (text without control characters or spaces at the ends)`,
    pattern: NAME_PATTERN,
    maxLength: 256,
    description,
  });
}

export const CONTROL_ID = text({
  what: 'a control id (ASCII without control characters or spaces at the ends)',
  pattern: CONTROL_ID_PATTERN,
  maxLength: 256,
  description: 'A control id, as evidence items name it.',
});

export const DURATION = text({
  what: 'a duration such as `90s`, `15m`, `1h` or `7d`',
  pattern: DURATION_PATTERN,
  maxLength: 16,
  description: 'A number with s, m, h or d.',
});

export function dateTime(description: string) {
  return text({
    what: 'a date and time with an offset such as `2026-11-15T09:30:00Z`',
    pattern: DATE_TIME_PATTERN,
    maxLength: 64,
    description,
    refuse: (value) =>
      parseInstant(value) === null ? `${quoted(value)} is not a day and time that exists` : null,
  });
}

export function plainText(description: string) {
  return text({ what: 'text', pattern: /^[^\p{Cs}]*$/u, maxLength: 1_024, description });
}
