/**
 * Changes whenever the engine may decide anything differently. 2: policies in observe mode stop nothing. 3: a person
 * may approve a control or confirm authority, and a profile may permit.
 */
export const ENGINE_VERSION = '3';
