/** Characters that people overlook: invisible ones, odd spaces, and look-alike letters. */

export type OddKind = 'invisible' | 'space' | 'control' | 'combining' | 'look-alike';

export interface OddCharacter {
  readonly kind: OddKind;
  /** Such as `U+200B`. */
  readonly code: string;
  /** Such as `zero width space`. */
  readonly name: string;
}

const NAMES: { readonly [code: string]: string } = {
  'U+0009': 'tab',
  'U+000A': 'line break',
  'U+000D': 'carriage return',
  'U+00A0': 'no-break space',
  'U+00AD': 'soft hyphen',
  'U+034F': 'combining grapheme joiner',
  'U+061C': 'Arabic letter mark',
  'U+180E': 'Mongolian vowel separator',
  'U+2007': 'figure space',
  'U+2009': 'thin space',
  'U+200A': 'hair space',
  'U+200B': 'zero width space',
  'U+200C': 'zero width non-joiner',
  'U+200D': 'zero width joiner',
  'U+200E': 'left-to-right mark',
  'U+200F': 'right-to-left mark',
  'U+202A': 'left-to-right embedding',
  'U+202B': 'right-to-left embedding',
  'U+202C': 'pop directional formatting',
  'U+202D': 'left-to-right override',
  'U+202E': 'right-to-left override',
  'U+202F': 'narrow no-break space',
  'U+2060': 'word joiner',
  'U+2066': 'left-to-right isolate',
  'U+2067': 'right-to-left isolate',
  'U+2069': 'pop directional isolate',
  'U+3000': 'ideographic space',
  'U+FEFF': 'byte order mark',
};

/** Pairs of a look-alike letter or sign and the ASCII character most typefaces draw it like. */
const TWINS = new Map(
  (
    'аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwӏlАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSЗ3ԌG' +
    'οoνvρpιiκkαaυuΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX' +
    "ıiǀlɡgɑaօoոnսuցgհhℓl‐-‑-‒-–-—-−-ー-‘'’'ʼ'“\"”\"⁄/∕/․.‚,٫,٠0۰0꞉:∶:ǃ!"
  )
    .match(/../gsu)!
    .map((pair) => [...pair] as [string, string]),
);

const INVISIBLE =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: it tests one code point at a time.
  /[\p{Cf}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2800\u3164\uFE00-\uFE0F\uFFA0\u{E0100}-\u{E01EF}]/u;

/** The ASCII character that a look-alike is mistaken for, or null. */
export function twinOf(character: string): string | null {
  const twin = TWINS.get(character);
  if (twin !== undefined) return twin;
  if (character <= '\u007f') return null;
  const plain = character.normalize('NFKC');
  return /^[!-~]$/.test(plain) ? plain : null;
}

/** The text as a hasty reader sees it. */
export function skeletonOf(text: string): string {
  return [...text.normalize('NFKD')]
    .filter((character) => !INVISIBLE.test(character) && !/\p{M}/u.test(character))
    .map((character) => twinOf(character) ?? (/\p{Zs}/u.test(character) ? ' ' : character))
    .join('')
    .trim();
}

/** Whether two different values look the same. */
export function areLookAlikes(agentValue: string | undefined, authorityValue: string | undefined): boolean {
  return (
    agentValue !== undefined &&
    authorityValue !== undefined &&
    agentValue !== authorityValue &&
    skeletonOf(agentValue) === skeletonOf(authorityValue)
  );
}

/** One entry per code point. A look-alike counts only in a word with Latin letters or digits, unless `isWary`. */
export function oddCharacters(text: string, isWary = false): readonly (OddCharacter | null)[] {
  const found: (OddCharacter | null)[] = [];
  for (const word of text.split(/([^\p{L}\p{M}\p{N}]+)/u)) {
    const isMixed = isWary || /[A-Za-z0-9]/.test(word);
    for (const character of word) found.push(oddness(character, isMixed));
  }
  return found;
}

function oddness(character: string, isMixed: boolean): OddCharacter | null {
  if (character >= ' ' && character <= '~') return null;
  const code = codeOf(character);
  const named = (kind: OddKind, otherwise: string): OddCharacter => ({
    kind,
    code,
    name: NAMES[code] ?? otherwise,
  });
  if (INVISIBLE.test(character)) return named('invisible', 'invisible character');
  if (/[\p{Zs}\u2028\u2029]/u.test(character)) return named('space', 'an unusual space');
  if (/\p{Cc}/u.test(character)) return named('control', 'control character');
  if (/\p{M}/u.test(character)) return named('combining', 'mark that combines with the letter before it');
  const twin = twinOf(character);
  const isLetter = /[\p{L}\p{N}]/u.test(character);
  if (twin === null || (isLetter && !isMixed)) return null;
  return { kind: 'look-alike', code, name: `${scriptOf(character)} that looks like “${twin}”` };
}

function scriptOf(character: string): string {
  if (/\p{Script=Cyrillic}/u.test(character)) return 'Cyrillic letter';
  if (/\p{Script=Greek}/u.test(character)) return 'Greek letter';
  return /\p{L}/u.test(character) ? 'letter' : 'character';
}

/** Writes invisible characters as their codes, for places that take only text, such as an option. */
export function revealedPlain(text: string): string {
  return Array.from(text, (character) =>
    INVISIBLE.test(character) || /\p{Cc}/u.test(character) ? `[${codeOf(character)}]` : character,
  ).join('');
}

/** JSON with invisible characters escaped, so that none can reverse or hide text. */
export function revealedJson(value: unknown): string {
  return Array.from(JSON.stringify(value, null, 2), (character) =>
    INVISIBLE.test(character) ? escaped(character) : character,
  ).join('');
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

export function codeOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
