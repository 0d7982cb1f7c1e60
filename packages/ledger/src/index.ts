export {
  type Assertion,
  type AssertionQuestion,
  type AssertionVerdict,
  challengeOf,
  type RelyingParty,
  verifyAssertion,
} from './assertion.ts';
export { type PasskeyAlgorithm, type PasskeyPublicKey, parseCoseKey } from './cose-key.ts';
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
export * from './log.ts';
export { type OcsfDecision, type OcsfTarget, ocsfDecision, ocsfEvent } from './ocsf.ts';
export type { SigningPasskey } from './signed-verdicts.ts';
export {
  batchChallenge,
  VERDICT_VERSION,
  type VerdictStatement,
  verdictChallenge,
  verdictStatementText,
} from './verdict-statement.ts';
export { ExportVerifier, type ExportVerifierOptions, verifyExport } from './verify-export.ts';
export {
  type ExtensionClaim,
  type ExtensionRefusal,
  type ExtensionVerdict,
  verifyExtension,
} from './verify-extension.ts';
export {
  type ReceiptQuestion,
  type ReceiptRefusal,
  type ReceiptVerdict,
  verifyReceipt,
} from './verify-receipt.ts';
