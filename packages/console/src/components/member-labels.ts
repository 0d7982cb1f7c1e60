/** What people call the members of a write that many agents send. Only an exact path has a label: a caller names the others. */

const LABELS: { readonly [path: string]: string } = {
  system: 'System',
  objectType: 'Kind of object',
  objectRef: 'Object',
  field: 'Field',
  operation: 'Operation',
  agentValue: 'New value',
  authorityValue: 'Value in the source of record',
  authoritySource: 'Source of record',
  authorityFound: 'Found in the source',
  workflowId: 'Workflow',
  runId: 'Run',
  'metadata.agent': 'Agent says it is',
  'metadata.context.amount': 'Amount',
  'metadata.context.currency': 'Currency',
  'metadata.context.requestedBy': 'For',
  'metadata.context.requester': 'For',
  'metadata.context.note': 'Note',
  'metadata.context.reason': 'Reason given',
  'metadata.context.ticket': 'Ticket',
  'metadata.context.invoice': 'Invoice',
  'metadata.context.invoiceRef': 'Invoice',
  'metadata.context.vendorName': 'Vendor name',
  'metadata.context.customerName': 'Customer name',
};

/** Shown before the other members, in this order. */
const FIRST = ['Amount', 'For', 'Vendor name', 'Customer name', 'Reason given', 'Note', 'Invoice', 'Ticket'];

/** Null for a member that callers name as they like. */
export function labelOf(names: readonly string[]): string | null {
  // A name with a dot in it must not pass for a path.
  if (names.some((name) => name.includes('.'))) return null;
  const path = names.join('.');
  return Object.hasOwn(LABELS, path) ? LABELS[path]! : null;
}

export function pathOf(names: readonly string[]): string {
  return names.join(' › ');
}

/** Smaller comes first; members without a label keep their order after all others. */
export function rankOf(names: readonly string[]): number {
  const at = FIRST.indexOf(labelOf(names) ?? '');
  return at < 0 ? FIRST.length : at;
}

const FIELDS: { readonly [field: string]: string } = {
  iban: 'the IBAN',
  bic: 'the BIC',
  vatId: 'the VAT ID',
  email: 'the e-mail address',
  phone: 'the phone number',
  address: 'the address',
  name: 'the name',
  bankAccount: 'the bank account',
  creditLimit: 'the credit limit',
  paymentTerms: 'the payment terms',
};

/** `job_title` and `jobTitle` are "the job title"; anything but plain words stays as the caller wrote it. */
export function fieldInWords(field: string): string {
  if (Object.hasOwn(FIELDS, field)) return FIELDS[field]!;
  if (!/^[a-z]+(?:[_-][a-z]+|[A-Z][a-z]+)*$/.test(field)) return field;
  return `the ${field.replaceAll(/[_-]|(?=[A-Z])/g, ' ').toLowerCase()}`;
}

const OPERATIONS: { readonly [operation: string]: string } = {
  'refund.create': 'Refund',
  'payment.create': 'Pay',
  'payout.create': 'Pay out',
  'invoice.pay': 'Pay',
};

/** `vendor.delete` is "Delete vendor"; anything else stays as the caller wrote it. */
export function operationInWords(operation: string): string {
  if (Object.hasOwn(OPERATIONS, operation)) return OPERATIONS[operation]!;
  const [, noun, verb] = /^([a-z]+)\.([a-z]+)$/.exec(operation) ?? [];
  return noun === undefined || verb === undefined
    ? operation
    : `${verb[0]!.toUpperCase()}${verb.slice(1)} ${noun}`;
}

const CONTROLS: { readonly [controlId: string]: string } = {
  identity: 'Identity check',
  authority_confirmation: 'Override of the source',
};

/** `fraud_screen` is "Fraud screen"; anything but plain words stays as the policy wrote it. */
export function controlInWords(controlId: string): string {
  if (Object.hasOwn(CONTROLS, controlId)) return CONTROLS[controlId]!;
  if (!/^[a-z]+(?:[_-][a-z]+)*$/.test(controlId)) return controlId;
  const words = controlId.replaceAll(/[_-]/g, ' ');
  return `${words[0]!.toUpperCase()}${words.slice(1)}`;
}
