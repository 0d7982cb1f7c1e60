/** The exports that write, sign and prove a log, without those that verify an export, a receipt or a passkey. */
export { decodeBase64Url, encodeBase64 } from '@writecheck/contract';
export { type Checkpoint, checkpointText, openCheckpoint, originOf } from './checkpoint.ts';
export { type Entry, parseEntry, redemptionText } from './entry.ts';
export { Frontier, frontierBytes } from './frontier.ts';
export { type CheckingKeyKind, isCount, type Leaf, leafBytes, leafText, parseLeaf } from './leaf.ts';
export { emptyRoot, leafHash, nodeHash } from './merkle-hash.ts';
export {
  type ChangeAuthor,
  type KeyEntry,
  type LimitCorrectedEntry,
  type NotedEntry,
  notedEntryBytes,
  outcomeEntryText,
  type PolicyAppliedEntry,
  type ResourceChangeEntry,
} from './noted-entry.ts';
export { type PersonEntry, type PersonEvent, personEntryBytes } from './person-entry.ts';
export {
  type HashReader,
  type ProofPlan,
  planConsistency,
  planInclusion,
  readPlan,
  type Subtree,
} from './proof.ts';
export { buildReceipt, RECEIPT_VERSION, type Receipt } from './receipt.ts';
export {
  checksFrom,
  type RecordedDraw,
  type RecordFields,
  type RecordPieces,
  readRecord,
  recordAround,
  recordBytes,
  recordedIntent,
} from './record.ts';
export { type ReviewEntry, reviewEntryBytes } from './review-entry.ts';
export { digestOf, type Sha256 } from './sha256.ts';
export { noteBytes, signatureLine, signedNote } from './signed-note.ts';
export { TILE_HEIGHT, TILE_WIDTH, tileHashReader } from './tiles.ts';
export { parseVerifierKeys, type VerifierKey, verifierKey, verifierKeyLine } from './verifier-key.ts';
export { verifyConsistency, verifyInclusion } from './verify-proof.ts';
