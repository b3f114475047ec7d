import type { Node } from 'oxc-parser'
import type { SourceFile } from './imports.ts'
import { lineAt, syntaxOf, walk } from './syntax.ts'

const maxLines = 80

/**
 * Returns one message for each function with too many lines. Every line counts, from the signature to the
 * closing brace: also blank lines, comments, and the lines of inner functions.
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
        if (lines > maxLines)
          problems.push(`${file.path}:${first} is a function of ${lines} lines: ${maxLines} are the most`)
      })
      return problems
    })
}

function isFunction({ type }: Node): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

/** The name of a method and the tokens before it belong to the parent node of its function. */
function startOf(node: Node, parent: Node | undefined): number {
  return parent?.type === 'MethodDefinition' ? parent.start : node.start
}
