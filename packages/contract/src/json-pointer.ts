/** JSON pointers (RFC 6901), which locate errors. */
import { shortened } from './shown-input.ts';

const SHOWN_CHARACTERS = 200;

/** Use it only in errors: a pointer repeats input, so it shortens long names. */
export function pointerTo(parent: string, member: string | number): string {
  const step =
    typeof member === 'number' ? member : shortened(member).replaceAll('~', '~0').replaceAll('/', '~1');
  return shortPointer(`${parent}/${step}`);
}

/** Cuts a pointer that is too long to be useful. */
export function shortPointer(pointer: string): string {
  return pointer.length > SHOWN_CHARACTERS
    ? `${pointer.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`
    : pointer;
}
