/**
 * Waits until a change is known. An answer may come as late as a busy machine makes it; whoever asks later than the time
 * promised, though, and is still told the old, was told wrong.
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
