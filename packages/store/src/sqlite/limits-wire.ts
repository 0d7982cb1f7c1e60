/** How what an entry was decided with reaches the writer thread: one text, because objects take several times as long. */
import type { EntryCounter, EntryLimits } from '../port.ts';

const LINES = 8;
const YES = '1';

/** INVARIANT: JSON, digests, decimals and times have no line breaks. */
export function limitsText({ states, readings, counters, draws }: EntryLimits): string {
  let text = `${draws ? YES : ''}\n${states}\n${readings}`;
  for (const { state, place, texts, per, draw, drawn, resetsAt, restored } of counters) {
    text += `\n${state}\n${place}\n${texts}\n${per}\n${draw ?? ''}\n${drawn}\n${resetsAt ?? ''}\n${restored ? YES : ''}`;
  }
  return text;
}

export function limitsOfText(text: string): EntryLimits {
  const lines = text.split('\n');
  const counters: EntryCounter[] = [];
  for (let at = 3; at < lines.length; at += LINES) {
    const resetsAt = lines[at + 6]!;
    const draw = lines[at + 4]!;
    counters.push({
      state: Number(lines[at]),
      place: lines[at + 1]!,
      texts: lines[at + 2]!,
      per: lines[at + 3]!,
      draw: draw === '' ? null : draw,
      drawn: lines[at + 5]!,
      resetsAt: resetsAt === '' ? null : resetsAt,
      restored: lines[at + 7] === YES,
    });
  }
  return { draws: lines[0] === YES, states: lines[1]!, readings: lines[2]!, counters };
}
