/**
 * Waits until a change is visible. A busy machine may delay a response, but a request sent after the promised
 * time must not see the old state.
 */
export async function knownWithin<Answer>(
  promisedMs: number,
  ask: () => Promise<Answer>,
  isNew: (answer: Answer) => boolean,
): Promise<Answer> {
  const changedMs = performance.now();
  for (;;) {
    const askedMs = performance.now();
    const answer = await ask();
    if (isNew(answer)) return answer;
    if (askedMs - changedMs > promisedMs)
      throw new Error(`not known after ${promisedMs} ms: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
