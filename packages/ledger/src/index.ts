export { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from '@writecheck/contract';
export {
  type Assertion,
  type AssertionQuestion,
  type AssertionVerdict,
  challengeOf,
  type RelyingParty,
  verifyAssertion,
} from './assertion.ts';
export {
  type Checkpoint,
  type CheckpointRefusal,
  checkpointText,
  type OpenedCheckpoint,
  openCheckpoint,
  originOf,
  parseCheckpointText,
} from './checkpoint.ts';
export { type PasskeyAlgorithm, type PasskeyPublicKey, parseCoseKey } from './cose-key.ts';
export type { WebCryptoKey } from './ed25519.ts';
export {
  type Continuation,
  continuationBytes,
  ENTRY_KINDS,
  type Entry,
  type EntryKind,
  parseEntry,
  type Redemption,
  redemptionBytes,
  redemptionText,
} from './entry.ts';
export {
  type ExportBundle,
  type ExportCheckpoint,
  type ExportEntry,
  type ExportedLog,
  type ExportHash,
  type ExportHeader,
  type ExportLine,
  type ExportPlace,
  type ExportTrailer,
  exportLine,
  parseExportLine,
} from './export-line.ts';
export type { ExportCounts, ExportFault, ExportFaultCode, ExportVerdict, Unread } from './export-verdict.ts';
export { Frontier, frontierBytes, type OnSubtree } from './frontier.ts';
export { type CheckingKeyKind, isLogName, type Leaf, leafBytes, leafText, parseLeaf } from './leaf.ts';
export { emptyRoot, leafHash, nodeHash } from './merkle-hash.ts';
export {
  type ChangeAuthor,
  type ChangeEntry,
  isNotedChange,
  type KeyEntry,
  type LimitCorrectedEntry,
  type LoggedNotedEntry,
  type NotedEntry,
  notedEntryBytes,
  outcomeEntryText,
  type PolicyAppliedEntry,
  type RecordsErasedEntry,
  type ResourceChangeEntry,
} from './noted-entry.ts';
export {
  type LoggedPersonEntry,
  type PersonEntry,
  type PersonEvent,
  personEntryBytes,
} from './person-entry.ts';
export {
  type HashReader,
  type ProofPlan,
  planConsistency,
  planInclusion,
  readPlan,
  type Subtree,
} from './proof.ts';
export { buildReceipt, parseReceipt, RECEIPT_VERSION, type Receipt, type ReceiptParts } from './receipt.ts';
export {
  checksFrom,
  type RecordedDraw,
  type RecordedIntent,
  type RecordFields,
  type RecordPieces,
  readRecord,
  recordAround,
  recordBytes,
  recordedIntent,
} from './record.ts';
export {
  type LoggedReviewEntry,
  type ReviewEntry,
  type ReviewEvent,
  reviewEntryBytes,
} from './review-entry.ts';
export { digestOf, type Sha256 } from './sha256.ts';
export {
  type Note,
  type NoteSignature,
  noteBytes,
  parseNote,
  signatureLine,
  signedNote,
  type VerifiedNote,
  verifyNote,
} from './signed-note.ts';
export { SignedVerdicts, type SigningPasskey } from './signed-verdicts.ts';
export { TILE_HEIGHT, TILE_WIDTH, type TileReader, tileHashReader } from './tiles.ts';
export {
  batchChallenge,
  VERDICT_VERSION,
  type VerdictStatement,
  verdictChallenge,
  verdictStatementText,
} from './verdict-statement.ts';
export { parseVerifierKeys, type VerifierKey, verifierKey, verifierKeyLine } from './verifier-key.ts';
export { type EntryRefusal, type EntryVerdict, verifyEntry } from './verify-entry.ts';
export { ExportVerifier, type ExportVerifierOptions, verifyExport } from './verify-export.ts';
export {
  type ExtensionClaim,
  type ExtensionRefusal,
  type ExtensionVerdict,
  verifyExtension,
} from './verify-extension.ts';
export {
  type ConsistencyClaim,
  type InclusionClaim,
  verifyConsistency,
  verifyInclusion,
} from './verify-proof.ts';
export {
  type ReceiptQuestion,
  type ReceiptRefusal,
  type ReceiptVerdict,
  verifyReceipt,
} from './verify-receipt.ts';
