/** The pages of a list of reviews that is read from its beginning. */
import type { Review } from '@writecheck/api';
import { Pager } from '../../components/pager.tsx';
import { href, usePlace } from '../../state/route.ts';
import { placeInWords } from './sort-reviews.ts';

/** A page of the list; more rows would take too long to draw. */
export const SHOWN = 30;

/** The rows of one page; of the last page if that is an earlier one. */
export function rowsOf(reviews: readonly Review[], page: number): readonly Review[] {
  const shown = Math.min(page, Math.max(1, Math.ceil(reviews.length / SHOWN)));
  return reviews.slice((shown - 1) * SHOWN, shown * SHOWN);
}

export function InboxPager({
  page,
  count,
  isTotal,
}: {
  readonly page: number;
  /** How many are known, which may be all of them. */
  readonly count: number;
  readonly isTotal: boolean;
}) {
  const { query } = usePlace();
  const areMore = count > page * SHOWN;
  const to = (number: number) =>
    href('/reviews', { ...Object.fromEntries(query), page: number === 1 ? '' : String(number) });
  return (
    <Pager
      previous={page > 1 ? to(page - 1) : undefined}
      next={areMore ? to(page + 1) : undefined}
      words={['Previous', 'Next']}
    >
      {placeInWords(page, SHOWN, count, isTotal)}
    </Pager>
  );
}
