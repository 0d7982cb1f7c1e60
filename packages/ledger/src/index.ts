export * from './base64.ts';
export * from './entry.ts';
export * from './frontier.ts';
export { type CheckingKeyKind, isLogName, type Leaf, leafBytes, leafText, parseLeaf } from './leaf.ts';
export * from './merkle-hash.ts';
export { digestOf, type Sha256, sha256 } from './sha256.ts';
