/** An error as an answer: the same envelope and headers on every route. */
export { problemAnswer as problem } from '../check-write/answer.ts';
