import type { Node } from 'oxc-parser'
import type { SourceFile } from './imports.ts'
import { lineAt, syntaxOf, walk } from './syntax.ts'

const mostLines = 80

/**
 * Functions of more lines than a reader can hold, one message each. Every line counts, from the signature to the closing
 * brace: also blank ones, comments, and those of functions inside.
 */
export function functionProblems(files: Pick<SourceFile, 'path' | 'text'>[]): string[] {
  return files
    .filter(({ path }) => !/^tests\/|\.test\.ts$/.test(path))
    .flatMap((file) => {
      const problems: string[] = []
      const { program, text } = syntaxOf(file)
      walk(program, (node, around) => {
        if (!isFunction(node)) return
        const start = startOf(node, around.at(-1))
        const [first, last] = [lineAt(text, start), lineAt(text, node.end)]
        const lines = last - first + 1
        if (lines > mostLines)
          problems.push(`${file.path}:${first} is a function of ${lines} lines: ${mostLines} are the most`)
      })
      return problems
    })
}

function isFunction({ type }: Node): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

/** A method's name, and what comes before it, stands in the node around its function. */
function startOf(node: Node, parent: Node | undefined): number {
  return parent?.type === 'MethodDefinition' ? parent.start : node.start
}
