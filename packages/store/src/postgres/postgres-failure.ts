/** Turns any driver or server error into the one failure of the port, with a fix in its message. */
import { COMMON_WORDS, codeOf, unavailableIn, type Why, type Words } from '../failure-words.ts';
import { StoreUnavailable } from '../port.ts';

const WORDS_OF: Words = {
  ...COMMON_WORDS,
  busy: 'the database has no connection or lock to spare; raise its `max_connections` or stop what holds it',
  full: 'the disk of the database is full; free some space and try again',
  io: 'the database cannot be reached; check that it runs and that the address is right',
  corrupt: 'the database does not contain what it should; restore it from a backup',
  read_only: 'the database takes no writes, it is a standby or read-only; use the primary',
  timeout: 'the database did not respond in time; check its load and its disk',
  replaced: 'another process continued the log of this one; restart the service',
  lost: 'the database lacks entries that were recorded; stop all replicas, then run `audit restore` once, which continues in a new log',
  moved: 'this store was moved; point WRITECHECK_DATABASE_URL at its new place',
  unknown: 'unexpected database error; see the log of the service',
};

const AUTHENTICATION = 'the database refuses the user or the password; check the URL';
const RIGHTS =
  'the database user lacks rights; let the owner of the schema `writecheck` create the tables with `writecheck workspace create`, or grant this user its rights';

/** Reasons by SQLSTATE or system error, the longest prefix first. */
const CODES: readonly (readonly [beginning: string, why: Why, message?: string])[] = [
  ['28', 'io', AUTHENTICATION],
  ['3D000', 'io', 'there is no such database on that server; create it with `createdb`, or check the URL'],
  ['42501', 'io', RIGHTS],
  ['25006', 'read_only'],
  ['53100', 'full'],
  ['53', 'busy'],
  ['40', 'busy'],
  ['55P03', 'busy'],
  ['57014', 'timeout'],
  ['57P', 'io'],
  ['08', 'io'],
  ['58', 'io'],
  ['XX', 'corrupt'],
  ['WC004', 'lost'],
  ['ENOTFOUND', 'io', 'the host of the database is not known; check the URL'],
  ['EAI_AGAIN', 'io', 'the host of the database cannot be looked up; check the URL and the name service'],
  ['ETIMEDOUT', 'timeout'],
  ['ECONN', 'io'],
  ['EPIPE', 'io'],
  ['EHOSTUNREACH', 'io'],
  ['ENETUNREACH', 'io'],
  ['ENOENT', 'io'],
];

/** Errors for which the driver has only a message. */
const WORDS: readonly (readonly [part: string, why: Why, message?: string])[] = [
  ['timeout', 'timeout'],
  ['Connection terminated', 'io'],
  ['not queryable', 'io'],
  ['Client was closed', 'io'],
  [
    'SSL',
    'io',
    'the database and the URL do not agree on encryption; `sslmode=verify-full` in the URL is for a server with TLS, `sslmode=disable` for one without',
  ],
  ['certificate', 'io', 'the certificate of the database is not trusted; see `sslmode` and `sslrootcert`'],
  ['SASL', 'io', AUTHENTICATION],
];

export const unavailable = unavailableIn(WORDS_OF);

export function toUnavailable(thrown: unknown): StoreUnavailable {
  if (thrown instanceof StoreUnavailable) return thrown;
  const code = codeOf(thrown);
  const text = thrown instanceof Error ? thrown.message : '';
  const known =
    CODES.find(([beginning]) => code.startsWith(beginning)) ?? WORDS.find(([part]) => text.includes(part));
  return known === undefined
    ? unavailable('unknown', thrown)
    : unavailable(known[1], thrown, known[2] ?? WORDS_OF[known[1]]);
}

/**
 * Whether the server itself refused, so that the transaction is surely undone; any other failure leaves that unknown.
 */
export function isRefusedBy(thrown: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(codeOf(thrown));
}

/** `commit` raises it if a key or an attestation was taken since it looked. */
const TAKEN_MEANWHILE = 'WC001';
const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';
const SERIALIZATION = '40001';

/** Whether the server undid a transaction because another process was faster; it may then be tried again. */
export function isOvertaken(thrown: unknown): boolean {
  return isRefusedBy(thrown, TAKEN_MEANWHILE, UNIQUE_VIOLATION, DEADLOCK, SERIALIZATION);
}
