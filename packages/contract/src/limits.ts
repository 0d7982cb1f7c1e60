/** Request limits, shared by the parser and the published schemas. */

const KIB = 1024;

export const BODY_LIMIT_BYTES = 64 * KIB;
export const BATCH_BODY_LIMIT_BYTES = 1024 * KIB;
export const BATCH_CHECKS_LIMIT = 50;
export const BATCH_ATTESTATIONS_LIMIT = 64;

/** Nested containers, including the outermost. */
export const DEPTH_LIMIT = 32;

export const REQUIRED_CONTROLS_LIMIT = 64;
export const EVIDENCE_ITEMS_LIMIT = 128;
export const ATTESTED_ITEMS_LIMIT = 16;

export const NAME_LIMIT_CHARACTERS = 256;
export const TEXT_LIMIT_BYTES = 16 * KIB;
export const METADATA_LIMIT_BYTES = 16 * KIB;
export const RESULT_LIMIT_CHARACTERS = 64;
export const EVIDENCE_REF_LIMIT_CHARACTERS = 1024;
export const ATTESTATION_LIMIT_BYTES = 8 * KIB;
