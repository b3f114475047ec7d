/** Most terms that are joined without parentheses. */
const mostInRow = 100

/**
 * Joins the terms of an expression by an associative operator as a balanced tree. SQLite limits the depth of expressions to 1,000
 * (SQLITE_MAX_EXPR_DEPTH), and a table may have more columns.
 */
function joinBalanced(terms: readonly string[], operator: string): string {
  if (terms.length <= mostInRow) return terms.join(` ${operator} `)
  const half = terms.length >> 1
  const [left, right] = [terms.slice(0, half), terms.slice(half)]
  return `(${joinBalanced(left, operator)}) ${operator} (${joinBalanced(right, operator)})`
}

/** Conditions joined by AND. */
export function allOf(conditions: readonly string[]): string {
  return joinBalanced(conditions, 'AND')
}

/** The sum of terms. */
export function sumOf(terms: readonly string[]): string {
  return joinBalanced(terms, '+')
}
