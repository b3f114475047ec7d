const longestRest = 1000
const field = /(?:^| )ct=(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))(?= |$)/

/**
 * The content type in what follows the user agent, as `ct="text/xml; charset=UTF-8"` or `ct=text/xml` anywhere, and what
 * is left without it. Null where there is none, or `-`.
 */
export function takeContentType(rest: string): { contentType: string | null; rest: string } {
  const found = rest.length > longestRest ? null : field.exec(rest)
  if (found === null) return { contentType: null, rest }
  const text = (found[1] ?? found[2] ?? '').trim()
  return {
    contentType: text === '' || text === '-' ? null : text,
    rest: rest.slice(0, found.index) + rest.slice(found.index + found[0].length),
  }
}
