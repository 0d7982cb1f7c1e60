/**
 * Changes whenever any decision or text of the engine may change. 2: policies in observe mode stop nothing. 3:
 * a person may approve a control or confirm authority, and a profile may permit. 4: some reasons are worded
 * differently. 5: only profiles that apply by themselves cover an intent; a review is offered only if it can
 * succeed. 6: a freeze pauses; conditions read lists and facts. 7: more rules or requirements than one intent may have
 * pause it.
 */
export const ENGINE_VERSION = '7';
