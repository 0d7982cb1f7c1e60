/**
 * Finds the comparisons that a `has` guards: those to the right of `has(P)` in a chain of `&&`, or of `!has(P)` in a
 * chain of `||`, that read P or something inside it. If P has no value, the chain is decided without them, so skipping
 * them changes only what must be readable.
 */
import { isWithin } from './path-text.ts';
import type { Node, PathNode } from './tree.ts';

interface Guard {
  readonly path: PathNode;
  /** How many bodies of `filter` and `map` it is in. */
  readonly lists: number;
}

export class Guards {
  readonly #of = new Map<Node, readonly PathNode[]>();
  #active: readonly Guard[] = [];
  /** Guards that excuse a path of the current comparison. */
  #relied: Guard[] = [];
  #lists = 0;

  of(node: Node): readonly PathNode[] {
    return this.#of.get(node) ?? NONE;
  }

  /** Reads one part of a chain; a part that is itself a chain has its own parts. */
  within(node: Node, read: () => void): void {
    const before = this.#relied;
    this.#relied = [];
    read();
    const own = isChain(node) ? [] : this.#relied.filter(({ lists }) => lists === this.#lists);
    if (own.length > 0) this.#of.set(node, [...new Set(own.map(({ path }) => path))]);
    // INVARIANT: a guard around a `filter` or `map` skips the comparison that uses the list, not the selection
    // of elements, which would change the list.
    this.#relied = [...before, ...this.#relied.filter((guard) => !own.includes(guard))];
  }

  withinList<T>(read: () => T): T {
    this.#lists += 1;
    const result = read();
    this.#lists -= 1;
    return result;
  }

  /** Reads the part to the right of `left` in its chain. */
  after(left: Node, operator: '&&' | '||', read: () => void): void {
    const before = this.#active;
    const added = hasIn(left, operator).map((path) => ({ path, lists: this.#lists }));
    this.#active = [...before, ...added];
    read();
    this.#active = before;
  }

  /** Whether the path may be absent here. */
  excuse(path: PathNode): boolean {
    const excusing = this.#active.filter((guard) => isWithin(path, guard.path));
    this.#relied.push(...excusing);
    return excusing.length > 0;
  }
}

const NONE: readonly PathNode[] = [];

function isChain(node: Node): boolean {
  return (
    (node.kind === 'binary' && (node.operator === '&&' || node.operator === '||')) ||
    (node.kind === 'unary' && node.operator === '!')
  );
}

/** The paths that `has` checks in a chain of `&&`, or `!has` in a chain of `||`. */
function hasIn(node: Node, operator: '&&' | '||'): readonly PathNode[] {
  if (node.kind === 'binary' && node.operator === operator)
    return [...hasIn(node.left, operator), ...hasIn(node.right, operator)];
  if (operator === '&&') return node.kind === 'has' ? [node.path] : NONE;
  return node.kind === 'unary' && node.operator === '!' && node.operand.kind === 'has'
    ? [node.operand.path]
    : NONE;
}
