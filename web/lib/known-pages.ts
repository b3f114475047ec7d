const known = new Set<string>()

/** Registers the patterns of existing pages, for code that links to them. */
export function setKnownPages(patterns: Iterable<string>): void {
  for (const pattern of patterns) known.add(pattern)
}

/** True if a page with this pattern exists: links to missing pages are not shown. */
export function hasPage(pattern: string): boolean {
  return known.has(pattern)
}
