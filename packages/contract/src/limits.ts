/** Request limits, shared by the parser and the published schemas. */

const KIB = 1024;

export const BODY_BYTES_MAX = 64 * KIB;
export const EVALUATIONS_BYTES_MAX = 1024 * KIB;
export const EVALUATIONS_MAX = 50;

/** Nested containers, including the outermost. */
export const DEPTH_MAX = 32;

export const REQUIRED_CONTROLS_MAX = 64;
export const EVIDENCE_ITEMS_MAX = 128;
export const ATTESTED_ITEMS_MAX = 16;

export const NAME_CHARACTERS_MAX = 256;
export const TEXT_BYTES_MAX = 16 * KIB;
export const METADATA_BYTES_MAX = 16 * KIB;
export const RESULT_CHARACTERS_MAX = 64;
export const EVIDENCE_REF_CHARACTERS_MAX = 1024;
export const ATTESTATION_BYTES_MAX = 24 * KIB;
/** Limits the `facts` in an attestation, in their RFC 8785 form. */
export const FACTS_BYTES_MAX = 16 * KIB;
/** Nested containers of the `facts` in an attestation, including the outermost. */
export const FACTS_DEPTH_MAX = 16;

/** Limits the verdicts that one passkey prompt signs. */
export const STATEMENTS_MAX = 100;

/** Limits the documents of a policy bundle. */
export const DOCUMENTS_MAX = 2_000;
