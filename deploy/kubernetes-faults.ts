/**
 * Checks a document against a Kubernetes schema, including unknown members. The schemas accept those, but the server drops
 * them, so a misspelt probe would be lost. A compiled validator reads every member it knows; a member it never reads is
 * unknown.
 */
interface Validator {
  (document: unknown): boolean;
  readonly errors?: readonly { readonly instancePath: string }[] | null;
}

export function faultsOf(document: object, isValid: Validator): readonly string[] {
  const unread = new Set<string>();
  const watch = (value: unknown, path: string): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item, index) => watch(item, `${path}/${index}`));
    const members = Object.entries(value).map(([name, inner]) => {
      unread.add(`${path}/${name}`);
      return [name, watch(inner, `${path}/${name}`)];
    });
    return new Proxy(Object.fromEntries(members), {
      get(target, name) {
        unread.delete(`${path}/${String(name)}`);
        return target[name];
      },
    });
  };
  const wrong = isValid(watch(document, '')) ? [] : (isValid.errors ?? []);
  return [
    ...new Set(wrong.map(({ instancePath }) => `${instancePath} is wrong`)),
    ...[...unread].map((path) => `${path} is unknown`),
  ];
}
