/** JSON pointers (RFC 6901): how a fault names its place. */
import { shortened } from './shown-input.ts';

const SHOWN_CHARACTERS = 200;

/** For faults alone: a place repeats input too, so long names in it are shortened. */
export function pointerTo(parent: string, member: string | number): string {
  const step =
    typeof member === 'number' ? member : shortened(member).replaceAll('~', '~0').replaceAll('/', '~1');
  return shortPointer(`${parent}/${step}`);
}

/** What is longer names no place that anybody would look for. */
export function shortPointer(pointer: string): string {
  return pointer.length > SHOWN_CHARACTERS
    ? `${pointer.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`
    : pointer;
}
