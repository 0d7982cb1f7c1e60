/** Removes the key from texts of the service: a hostile or careless response may echo it. */
export function conceal(text: string, apiKey: string, charactersMax = text.length): string {
  // Conceals before it cuts, because a cut key is most of a key.
  const clean = apiKey === '' ? text : text.replaceAll(apiKey, '[key]');
  return clean.slice(0, charactersMax);
}
