/** Reads one member's value with its type, or notes the error and returns undefined. */
import { parseInstant } from './instants.ts';
import { pointerTo } from './json-pointer.ts';
import { CONTROL_CHARACTER, isLongerThan, nameFault } from './name.ts';
import { type Findings, note } from './parse-findings.ts';

const ASCII = /^[ -~]*$/;

/** A null member counts as absent. */
export function isLeftOut(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

export function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readString(
  value: unknown,
  findings: Findings,
  pointer: string,
  member: string | number,
): string | undefined {
  if (typeof value === 'string') return value;
  if (!isLeftOut(value)) note(findings, pointer, member, `must be a string, not ${kindOf(value)}`);
  return undefined;
}

export function readBoolean(
  value: unknown,
  findings: Findings,
  pointer: string,
  member: string,
): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (!isLeftOut(value)) note(findings, pointer, member, `must be a boolean, not ${kindOf(value)}`);
  return undefined;
}

export function readName(
  value: unknown,
  findings: Findings,
  pointer: string,
  member: string | number,
): string | undefined {
  const name = readString(value, findings, pointer, member);
  if (name === undefined) return name;
  const fault = nameFault(name);
  if (fault !== null) note(findings, pointer, member, fault);
  return name;
}

export function readControlId(
  value: unknown,
  findings: Findings,
  pointer: string,
  member: string | number,
): string | undefined {
  const name = readName(value, findings, pointer, member);
  if (name !== undefined && !ASCII.test(name) && !CONTROL_CHARACTER.test(name)) {
    note(findings, pointer, member, 'must be ASCII');
  }
  return name;
}

export function readCharacters(
  value: unknown,
  limitCharacters: number,
  findings: Findings,
  pointer: string,
  member: string,
): string | undefined {
  const text = readString(value, findings, pointer, member);
  if (text !== undefined && isLongerThan(text, limitCharacters)) {
    note(findings, pointer, member, `is longer than ${limitCharacters} characters`);
  }
  return text;
}

export function readBytes(
  value: unknown,
  limitBytes: number,
  findings: Findings,
  pointer: string,
  member: string,
): string | undefined {
  const text = readString(value, findings, pointer, member);
  if (text !== undefined && byteLengthExceeds(text, limitBytes)) {
    note(findings, pointer, member, `is longer than ${limitBytes} bytes`);
  }
  return text;
}

/** `consequence` completes the warning about a missing offset. */
export function readInstant(
  value: unknown,
  consequence: string,
  findings: Findings,
  pointer: string,
  member: string,
): string | undefined {
  const text = readString(value, findings, pointer, member);
  if (text === undefined) return undefined;
  const instant = parseInstant(text);
  if (instant === null) {
    note(findings, pointer, member, 'must be an RFC 3339 date-time like `2026-01-31T12:00:00Z`');
  } else if (!instant.hasOffset) {
    findings.warnings.push(`\`${pointerTo(pointer, member)}\` has no offset, so ${consequence}`);
  }
  return text;
}

/** Avoids encoding if the length decides: a UTF-16 code unit takes 1 to 3 bytes. */
export function byteLengthExceeds(text: string, limitBytes: number): boolean {
  if (text.length * 3 <= limitBytes) return false;
  return text.length > limitBytes || new TextEncoder().encode(text).length > limitBytes;
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
