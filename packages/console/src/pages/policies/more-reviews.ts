/** How many more writes people would have to approve, as a rate that a team can plan with. */
import { DAY_MS } from '@writecheck/contract';
import { counted } from '../../components/counted.ts';

const WORKING_DAYS = 5;
const WEEK_DAYS = 7;

/** `begun` is the first decision in the range: a log younger than the range has fewer days to divide by. */
export function moreReviews(
  writes: number,
  { from, to, begun }: { readonly from: string; readonly to: string; readonly begun: string },
): string {
  const [asked, had] = [from, begun].map((start) =>
    Math.max(1, Math.round((Date.parse(to) - Date.parse(start)) / DAY_MS)),
  ) as [number, number];
  const working = had < WEEK_DAYS ? Math.min(had, WORKING_DAYS) : (had * WORKING_DAYS) / WEEK_DAYS;
  const [aDay, aWeek] = [writes / working, (writes * WEEK_DAYS) / had];
  const rate =
    aDay >= 1
      ? `about ${Math.round(aDay)} each working day`
      : `about ${Math.max(1, Math.round(aWeek))} a week`;
  const days = counted(had, 'day');
  const log = had < asked ? `in the ${had === 1 ? 'day' : days} this log has` : `in ${days}`;
  return `${counted(writes, 'more write')} to approve ${log}. That’s ${rate}.`;
}
