/** The rules a single member's value is held to: type, length and alphabet. */
import { parseInstant } from './instants.ts';
import { pointerTo } from './json-pointer.ts';
import { ATTESTATION_LIMIT_BYTES, NAME_LIMIT_CHARACTERS, TEXT_LIMIT_BYTES } from './limits.ts';
import type { Findings } from './parse-findings.ts';

/** Looks at a value that is neither null nor left out, and notes what is wrong with it at `pointer`/`member`. */
export type MemberRule = (
  value: unknown,
  findings: Findings,
  pointer: string,
  member: string | number,
) => void;

const SHORT_ASCII_NAME = /^[!-~](?:[ -~]{0,62}[!-~])?$/;
const ASCII_NAME = /^[!-~](?:[ -~]*[!-~])?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

export const nameRule: MemberRule = (value, findings, pointer, member) => {
  if (typeof value === 'string' && SHORT_ASCII_NAME.test(value)) return;
  if (!isString(value, findings, pointer, member)) return;
  const fault = nameFault(value);
  if (fault !== null) note(findings, pointer, member, fault);
};

export const controlIdRule: MemberRule = (value, findings, pointer, member) => {
  if (typeof value === 'string' && SHORT_ASCII_NAME.test(value)) return;
  if (!isString(value, findings, pointer, member)) return;
  const fault = nameFault(value) ?? (ASCII_NAME.test(value) ? null : 'must be ASCII');
  if (fault !== null) note(findings, pointer, member, fault);
};

export const textRule: MemberRule = bytesRule(TEXT_LIMIT_BYTES);
export const attestationRule: MemberRule = bytesRule(ATTESTATION_LIMIT_BYTES);

export const booleanRule: MemberRule = (value, findings, pointer, member) => {
  if (typeof value !== 'boolean') note(findings, pointer, member, `must be a boolean, not ${kindOf(value)}`);
};

export function charactersRule(limitCharacters: number): MemberRule {
  return (value, findings, pointer, member) => {
    if (!isString(value, findings, pointer, member)) return;
    if (isLongerThan(value, limitCharacters)) {
      note(findings, pointer, member, `is longer than ${limitCharacters} characters`);
    }
  };
}

/** `consequence` says what a missing offset makes of the time. */
export function instantRule(consequence: string): MemberRule {
  return (value, findings, pointer, member) => {
    if (!isString(value, findings, pointer, member)) return;
    const instant = parseInstant(value);
    if (instant === null) {
      note(findings, pointer, member, 'must be an RFC 3339 date-time like `2026-01-31T12:00:00Z`');
    } else if (!instant.hasOffset) {
      findings.warnings.push(`\`${pointerTo(pointer, member)}\` has no offset, so ${consequence}`);
    }
  };
}

function bytesRule(limitBytes: number): MemberRule {
  return (value, findings, pointer, member) => {
    if (!isString(value, findings, pointer, member)) return;
    if (byteLengthExceeds(value, limitBytes))
      note(findings, pointer, member, `is longer than ${limitBytes} bytes`);
  };
}

/** Without encoding where the length alone tells: a UTF-16 code unit takes 1 to 3 bytes. */
export function byteLengthExceeds(text: string, limitBytes: number): boolean {
  if (text.length * 3 <= limitBytes) return false;
  return text.length > limitBytes || new TextEncoder().encode(text).length > limitBytes;
}

export function note(findings: Findings, pointer: string, member: string | number, message: string): void {
  findings.otherFaults.push({ pointer: pointerTo(pointer, member), message });
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function isString(
  value: unknown,
  findings: Findings,
  pointer: string,
  member: string | number,
): value is string {
  if (typeof value === 'string') return true;
  note(findings, pointer, member, `must be a string, not ${kindOf(value)}`);
  return false;
}

function nameFault(name: string): string | null {
  if (name === '') return 'must not be empty';
  if (isLongerThan(name, NAME_LIMIT_CHARACTERS)) return `is longer than ${NAME_LIMIT_CHARACTERS} characters`;
  if (CONTROL_CHARACTER.test(name)) return 'must not hold control characters';
  if (name !== name.trim()) return 'must not begin or end with a space';
  return null;
}

/** Characters are code points. */
function isLongerThan(text: string, limitCharacters: number): boolean {
  if (text.length <= limitCharacters) return false;
  return text.length > 2 * limitCharacters || [...text].length > limitCharacters;
}
