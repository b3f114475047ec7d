import type { Comment, Node, Program } from 'oxc-parser'
import type { SourceFile } from './imports.ts'
import { lineAt, type Syntax, syntaxOf } from './syntax.ts'

/**
 * Files with the interfaces between the parts of the program. The entry points of folders are contracts too.
 */
const contracts: readonly string[] = [
  'src/formats/format.ts',
  'src/transforms/transform.ts',
  'src/stores/store.ts',
  'src/stores/description.ts',
  'src/inputs/database/database.ts',
  'src/importer/task-types/task-type.ts',
  'src/monitoring/metrics/metric.ts',
  'src/monitoring/notify/channels/channel.ts',
  'src/monitoring/notify/comparisons/comparison.ts',
  'src/api/endpoint.ts',
]

/** Returns one message for each export of contracts, `src/core` and `src/geo` without a doc comment. */
export function undocumentedExports(
  files: Pick<SourceFile, 'path' | 'text'>[],
  entryPoints: readonly string[],
): string[] {
  const isPromise = (path: string): boolean =>
    /^src\/(?:core\/(?!(?:config|db|jobs|idempotency)\/)|geo\/)/.test(path) ||
    contracts.includes(path) ||
    entryPoints.includes(path)
  return files
    .filter(({ path }) => isPromise(path) && !path.endsWith('.test.ts'))
    .flatMap((file) => {
      const syntax = syntaxOf(file)
      return syntax.program.body.flatMap((statement) => {
        const name = exportedName(statement)
        if (name === undefined || isDocumented(statement, syntax)) return []
        return [`${file.path}:${lineAt(file.text, statement.start)} exports ${name} without a comment`]
      })
    })
}

function exportedName(statement: Node): string | undefined {
  if (statement.type !== 'ExportNamedDeclaration' || statement.declaration == null) return undefined
  const declaration: Node = statement.declaration
  if (declaration.type === 'VariableDeclaration') {
    const id = declaration.declarations[0]?.id
    return id?.type === 'Identifier' ? id.name : undefined
  }
  return 'id' in declaration && declaration.id?.type === 'Identifier' ? declaration.id.name : undefined
}

/**
 * Returns true if a doc comment directly precedes the statement. Constants on consecutive lines share the
 * comment of the first one, and a type derived from the list above it shares the comment of the list.
 */
function isDocumented(statement: Program['body'][number], syntax: Syntax): boolean {
  const { comments, text, program } = syntax
  const isJustBefore = (comment: Comment): boolean =>
    comment.end <= statement.start && text.slice(comment.end, statement.start).trim() === ''
  if (comments.some((comment) => isDoc(comment) && isJustBefore(comment))) return true
  const before = program.body[program.body.indexOf(statement) - 1]
  if (before !== undefined && isNextLine(before, statement, text)) return isDocumented(before, syntax)
  const list = /= \(typeof (\w+)\)\[number\]$/.exec(text.slice(statement.start, statement.end))?.[1]
  const isMadeFrom = before !== undefined && list !== undefined && exportedName(before) === list
  return isMadeFrom && isDocumented(before, syntax)
}

function isNextLine(before: Node, statement: Node, text: string): boolean {
  const isConstant = (one: Node): boolean =>
    one.type === 'ExportNamedDeclaration' && one.declaration?.type === 'VariableDeclaration'
  return isConstant(before) && isConstant(statement) && text.slice(before.end, statement.start) === '\n'
}

function isDoc({ type, value }: Comment): boolean {
  return type === 'Block' && value.startsWith('*')
}
