/** The limits of a read. */

/** How long a source may take, from the connection to the last byte. */
export const READ_MS_MAX = 2_000;
export const READS_AT_ONCE_MAX = 16;
export const ROWS_MAX = 1_000;
/** Limits what an HTTP source or a command returns. */
export const SOURCE_BYTES_MAX = 1024 * 1024;
export const TOKEN_CHARACTERS_MIN = 32;
