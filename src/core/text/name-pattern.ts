/** True if a name matches a pattern in which `*` is any text and `?` any character. Case counts. */
function matchesPattern(name: string, pattern: string): boolean {
  const [text, requested] = [[...name], [...pattern]]
  let [at, next] = [0, 0]
  /** The last `*`, and where the text after it is matched next: a longer text for it is tried on a mismatch. */
  let star = -1
  let retry = 0
  while (at < text.length) {
    if (requested[next] === '*') {
      star = next
      retry = at
      next += 1
    } else if (requested[next] === '?' || requested[next] === text[at]) {
      at += 1
      next += 1
    } else if (star >= 0) {
      retry += 1
      at = retry
      next = star + 1
    } else return false
  }
  return requested.slice(next).every((character) => character === '*')
}

/** True if a name matches one of the patterns in `include`, or any name if there is none, and none in `exclude`. */
export function matchesPatterns(
  name: string,
  { include, exclude }: { include: readonly string[]; exclude: readonly string[] },
): boolean {
  const matches = (pattern: string): boolean => matchesPattern(name, pattern)
  return (include.length === 0 || include.some(matches)) && !exclude.some(matches)
}
