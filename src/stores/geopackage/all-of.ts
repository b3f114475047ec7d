/**
 * Joins conditions by AND as a balanced tree: SQLite accepts expressions of depth 1,000
 * (SQLITE_MAX_EXPR_DEPTH), and a table may have more columns.
 */
export function allOf(conditions: readonly string[]): string {
  if (conditions.length <= mostInRow) return conditions.join(' AND ')
  const half = conditions.length >> 1
  return `(${allOf(conditions.slice(0, half))}) AND (${allOf(conditions.slice(half))})`
}

const mostInRow = 100
