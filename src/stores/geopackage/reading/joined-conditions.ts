/** Maximum number of terms that are joined without parentheses. */
const maxInSum = 100

/**
 * Joins the terms of an expression by an associative operator as a balanced tree. SQLite limits the depth of expressions to 1,000
 * (SQLITE_MAX_EXPR_DEPTH), and a table may have more columns.
 */
function joinBalanced(terms: readonly string[], operator: string): string {
  if (terms.length <= maxInSum) return terms.join(` ${operator} `)
  const half = terms.length >> 1
  const [left, right] = [terms.slice(0, half), terms.slice(half)]
  return `(${joinBalanced(left, operator)}) ${operator} (${joinBalanced(right, operator)})`
}

/** Joins conditions by AND. */
export function joinByAnd(conditions: readonly string[]): string {
  return joinBalanced(conditions, 'AND')
}

/** Returns the sum of terms. */
export function sumOfTerms(terms: readonly string[]): string {
  return joinBalanced(terms, '+')
}

/** Maximum number of conditions in one chain; longer lists are split in halves. */
const maxInRow = 100

/**
 * Joins conditions: SQLite accepts expressions of at most 1,000 levels, and a chain of conditions has one
 * level for each.
 */
export function joinedConditions(conditions: readonly string[], word: 'AND' | 'OR'): string {
  if (conditions.length <= maxInRow) return `(${conditions.join(` ${word} `)})`
  const middle = Math.ceil(conditions.length / 2)
  const halves = [conditions.slice(0, middle), conditions.slice(middle)]
  return `(${halves.map((half) => joinedConditions(half, word)).join(` ${word} `)})`
}

/** Values that a statement binds. */
export type Bound = string | number | bigint | Uint8Array | null

/** A condition with its bound values. */
export interface SqlCondition {
  sql: string
  bound: Bound[]
}
