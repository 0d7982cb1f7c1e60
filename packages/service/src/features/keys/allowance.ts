/** The monthly allowance of development keys. */
export const DEVELOPMENT_CHECKS_A_MONTH = 1_000;
