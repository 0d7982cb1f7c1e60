/** JSON pointers (RFC 6901): how a fault names its place. */

export function pointerTo(parent: string, member: string | number): string {
  return `${parent}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
