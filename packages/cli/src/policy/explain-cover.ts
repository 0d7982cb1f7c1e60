/** Tells `policy explain` what covers a write, and which profiles require the values of its authority. */
import type { WriteIntent } from '@writecheck/contract';
import { coverOf, type Profile, type ProfileDocument } from '@writecheck/engine';

/** `covering` are the enforcing profiles that apply by themselves, with every member sent. */
export function aboutCover(intent: WriteIntent, covering: readonly Profile[]): string {
  const cover = coverOf(intent, covering);
  const names = covering.map(({ id }) => id).join(', ');
  if (cover.isCovered) return `  covered by ${names}`;
  if (covering.length === 0) return '  no profile covers it, so none lifts the need for authority';
  return `  ${names} covers one of \`field\` and \`operation\`, and the intent sends both: so it is not covered`;
}

/** `applying` are the enforcing profiles that apply. */
export function aboutAuthority(
  profiles: readonly ProfileDocument[],
  applying: ReadonlySet<string>,
): readonly string[] {
  const lines = profiles
    .filter(({ id, permit }) => applying.has(id) && permit !== true)
    .flatMap((profile) => {
      const why = whyItAsks(profile);
      const { authority, id } = profile;
      const confirmedBy = typeof authority === 'object' ? authority.confirmedBy : undefined;
      return [
        ...(why === null ? [] : [`  profile ${id} requires both values: ${why}`]),
        ...(confirmedBy === undefined ? [] : [`  profile ${id} lets a person confirm it by ${confirmedBy}`]),
      ];
    });
  return lines.length === 0 ? [] : ['', 'authority', ...lines];
}

/** A match on `field` requires them implicitly, which surprises a reader of the profile. */
function whyItAsks({ authority, match, compare, writePolicy }: ProfileDocument): string | null {
  const isFreed = typeof authority === 'object' && authority.required === false;
  if (authority !== undefined && !isFreed) return 'it requires authority';
  if (match?.field !== undefined && !isFreed) return 'it matches on `field`';
  if (compare !== undefined) return `it names \`compare: ${compare}\``;
  return writePolicy === 'block_on_mismatch' ? 'it says `block_on_mismatch`' : null;
}
