import type { Node } from 'oxc-parser'
import type { SourceFile } from './imports.ts'
import { lineAt, syntaxOf, walk } from './syntax.ts'

/**
 * Finds spreads of a literal inside a literal of the same kind or inside a call, such as `{ ...{ a: 1 }, b }`. They only
 * change how the formatter breaks lines.
 *
 * @returns one message for each spread
 */
export function literalSpreadProblems(files: Pick<SourceFile, 'path' | 'text'>[]): string[] {
  return files.flatMap((file) => {
    const problems: string[] = []
    walk(syntaxOf(file).program, (node, around) => {
      if (node.type !== 'SpreadElement') return
      const isObject = around.at(-1)?.type === 'ObjectExpression'
      if (literalIn(node.argument).type !== (isObject ? 'ObjectExpression' : 'ArrayExpression')) return
      problems.push(
        `${file.path}:${lineAt(file.text, node.start)} spreads a literal: write its members directly`,
      )
    })
    return problems
  })
}

/**
 * Finds spreads of one conditional member, such as `...(a === undefined ? {} : { a })`, where the member can be written
 * directly: `{ a }`. A spread that follows another spread may stay, because a direct member would replace the earlier one.
 *
 * @param exceptions files whose objects are read by their keys, such as style documents and headers
 * @returns one message for each spread
 */
export function conditionalSpreadProblems(
  files: Pick<SourceFile, 'path' | 'text'>[],
  exceptions: readonly string[],
): string[] {
  return files.flatMap((file) => {
    if (exceptions.includes(file.path)) return []
    const problems: string[] = []
    walk(syntaxOf(file).program, (node, around) => {
      const literal = around.at(-1)
      if (node.type !== 'SpreadElement' || literal?.type !== 'ObjectExpression') return
      const first = literal.properties.find(({ type }) => type === 'SpreadElement')
      if (first !== node || !isConditional(literalIn(node.argument))) return
      problems.push(
        `${file.path}:${lineAt(file.text, node.start)} spreads a conditional member: write it directly`,
      )
    })
    return problems
  })
}

/** True for `condition ? {} : { member }` and its inverse, and `condition && { member }`. */
function isConditional(node: Node): boolean {
  const hasMembers = (one: Node, count: number): boolean => {
    const literal = literalIn(one)
    return (
      literal.type === 'ObjectExpression' &&
      literal.properties.length === count &&
      literal.properties.every((property) => property.type === 'Property' && !property.computed)
    )
  }
  if (node.type === 'LogicalExpression') return node.operator === '&&' && hasMembers(node.right, 1)
  if (node.type !== 'ConditionalExpression') return false
  const { consequent, alternate } = node
  return (
    (hasMembers(consequent, 0) && hasMembers(alternate, 1)) ||
    (hasMembers(consequent, 1) && hasMembers(alternate, 0))
  )
}

/** Returns the expression inside parentheses and type assertions. */
function literalIn(node: Node): Node {
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return literalIn(node.expression)
    default:
      return node
  }
}
