/** How much may apply to one intent, so that no decision takes long. */

/** More profiles and workflows than this on one intent are an error of the policy. */
export const RULES_ON_INTENT_MAX = 100;
/** So are more requirements than this: each names a control, which is evaluated, and its source, which is recorded. */
export const REQUIREMENTS_ON_INTENT_MAX = 500;
