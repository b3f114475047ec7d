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
