/** Maximum number of conditions in one chain; longer lists are split in halves. */
const mostInRow = 100

/**
 * Joins conditions: SQLite accepts expressions of at most 1,000 levels, and a chain of conditions has one
 * level for each.
 */
export function joinedConditions(conditions: readonly string[], word: 'AND' | 'OR'): string {
  if (conditions.length <= mostInRow) return `(${conditions.join(` ${word} `)})`
  const middle = Math.ceil(conditions.length / 2)
  const halves = [conditions.slice(0, middle), conditions.slice(middle)]
  return `(${halves.map((half) => joinedConditions(half, word)).join(` ${word} `)})`
}
