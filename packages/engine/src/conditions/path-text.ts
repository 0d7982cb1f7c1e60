/** Paths as keys and as an author writes them. */
import type { Node, PathNode, Root, Step } from './tree.ts';

export function isWithin(path: Pick<PathNode, 'root' | 'members'>, outer: PathNode): boolean {
  if (path.root !== outer.root || path.members.length < outer.members.length) return false;
  return outer.members.every((step, index) => path.members[index] === step);
}

const PLAIN = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

export function pathText(root: Root, members: readonly Step[]): string {
  let text = typeof root === 'string' ? root : root.name;
  for (const step of members)
    text += typeof step === 'string' && PLAIN.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  return text;
}

/** Every path in a condition, `has` included, in the order of the text. */
export function pathsIn(node: Node): readonly PathNode[] {
  if (node.kind === 'path') return [node];
  return node.kind === 'has' ? [node.path] : partsOf(node).flatMap(pathsIn);
}

/** What a node is made of, in the order of the text. */
export function partsOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'steps':
    case 'unary':
      return [node.operand];
    case 'macro':
      return [node.target, node.body];
    case 'binary':
      return [node.left, node.right];
    case 'call':
      return node.args;
    case 'list':
      return node.elements;
    case 'path':
    case 'has':
    case 'literal':
    case 'now':
      return [];
  }
}
