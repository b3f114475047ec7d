const known = new Set<string>()

/** Tells the patterns of the pages that there are; whoever leads to others asks. */
export function setKnownPages(patterns: Iterable<string>): void {
  for (const pattern of patterns) known.add(pattern)
}

/** Whether there is a page of this pattern: what leads to none is not shown. */
export function hasPage(pattern: string): boolean {
  return known.has(pattern)
}
