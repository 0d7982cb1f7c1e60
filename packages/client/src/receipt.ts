/** Proves offline, to the side that executes the write, that exactly this write was allowed and still is. */
export {
  type Leaf,
  type ReceiptQuestion,
  type ReceiptRefusal,
  type ReceiptVerdict,
  type VerifierKey,
  verifyReceipt,
} from '@writecheck/ledger';
