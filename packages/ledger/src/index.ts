export * from './base64.ts';
export * from './checkpoint.ts';
export * from './ed25519.ts';
export * from './entry.ts';
export * from './export-line.ts';
export type { ExportCounts, ExportFault, ExportFaultCode, ExportVerdict } from './export-verdict.ts';
export * from './frontier.ts';
export {
  type CheckingKeyKind,
  isLogName,
  type Leaf,
  leafAround,
  leafBytes,
  leafText,
  parseLeaf,
} from './leaf.ts';
export * from './merkle-hash.ts';
export * from './proof.ts';
export * from './receipt.ts';
export {
  type LoggedReviewEntry,
  type ReviewEntry,
  type ReviewEvent,
  reviewEntryBytes,
} from './review-entry.ts';
export { digestOf, type Sha256, sha256 } from './sha256.ts';
export * from './signed-note.ts';
export * from './tiles.ts';
export * from './verifier-key.ts';
export * from './verify-export.ts';
export * from './verify-extension.ts';
export * from './verify-proof.ts';
export * from './verify-receipt.ts';
