/** The kinds of keys. */

export type KeyKind = 'development' | 'live' | 'owner';
export type CheckingKeyKind = Exclude<KeyKind, 'owner'>;
