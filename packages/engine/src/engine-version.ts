/** Changes whenever the engine may decide anything differently. 2: policies in observe mode stop nothing. */
export const ENGINE_VERSION = '2';
