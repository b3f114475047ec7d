/** Parses an http or https URL without credentials. Returns `undefined` for all other text. */
export function parseWebUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' ? url : undefined
}
