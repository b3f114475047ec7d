/** What stands in a row; more are halved. */
const mostInRow = 100

/** Conditions as one: SQLite takes expressions of at most 1,000 levels, and a row of conditions has one for each. */
export function joinedConditions(conditions: readonly string[], word: 'AND' | 'OR'): string {
  if (conditions.length <= mostInRow) return `(${conditions.join(` ${word} `)})`
  const middle = Math.ceil(conditions.length / 2)
  const halves = [conditions.slice(0, middle), conditions.slice(middle)]
  return `(${halves.map((half) => joinedConditions(half, word)).join(` ${word} `)})`
}
