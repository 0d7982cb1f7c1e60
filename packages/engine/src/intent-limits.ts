/** How much may apply to one intent; more is an error of the policy. */

/** Counts profiles and workflows. */
export const RULES_ON_INTENT_MAX = 100;
/** Each names a control, which is evaluated and explained, and its source, which is recorded. */
export const REQUIREMENTS_ON_INTENT_MAX = 500;
