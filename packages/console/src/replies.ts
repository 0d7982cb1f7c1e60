/** Several replies as one, and lists that come page by page. A failure among them is the reply. */
import { type Reply, type Success, success } from './api.ts';

/** What a call brings if it succeeds. */
export type ValueOf<Call extends (...given: never[]) => Promise<Reply<unknown>>> = Extract<
  Awaited<ReturnType<Call>>,
  Success<unknown>
>['value'];

export function mapped<A, B>(reply: Reply<A>, to: (value: A) => B): Reply<B> {
  return reply.kind === 'failure' ? reply : success(to(reply.value));
}

export async function joined<const T extends readonly unknown[]>(
  asked: { readonly [at in keyof T]: Promise<Reply<T[at]>> },
): Promise<Reply<T>> {
  const replies: readonly Reply<unknown>[] = await Promise.all(asked);
  const failure = replies.find((reply) => reply.kind === 'failure');
  return (
    failure ??
    success(replies.map((reply) => (reply.kind === 'success' ? reply.value : null)) as unknown as T)
  );
}

interface Paged<Row> {
  readonly rows: readonly Row[];
  /** Null at the end of the list. */
  readonly nextCursor: string | null;
}

/** One page after the other, until there are no more or `most` rows. `left` is how many are still wanted. */
export async function readPages<Page extends Pick<Paged<unknown>, 'nextCursor'>, Row>(
  most: number,
  read: (cursor: string, left: number) => Promise<Reply<Page>>,
  rowsOf: (page: Page) => readonly Row[],
): Promise<Reply<Paged<Row>>> {
  const rows: Row[] = [];
  let cursor = '';
  for (;;) {
    const page = await read(cursor, most - rows.length);
    if (page.kind === 'failure') return page;
    rows.push(...rowsOf(page.value));
    const { nextCursor } = page.value;
    if (nextCursor === null || rows.length >= most) return success({ rows, nextCursor });
    cursor = nextCursor;
  }
}
