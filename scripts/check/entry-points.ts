import type { Comment, Node } from 'oxc-parser'
import type { SourceFile } from './imports.ts'
import { syntaxOf } from './syntax.ts'

const maxSentences = 3

/** True for a file that only lists what a folder of `src/` exports: an `index.ts`, or the `worker.ts` beside it. */
export function isExportList(path: string): boolean {
  return /^src\/[^/]+\/(?:(?:.+\/)?index|worker)\.ts$/.test(path)
}

/** Returns one message for each export list with other code than named re-exports, or without a short head comment. */
export function exportListProblems(files: Pick<SourceFile, 'path' | 'text'>[]): string[] {
  return files
    .filter(({ path }) => isExportList(path))
    .flatMap((file) => {
      const { program, comments } = syntaxOf(file)
      const problems = program.body.every(isNamedReExport)
        ? []
        : [`${file.path} must contain only statements of the form export { name } from './file.ts'`]
      const sentences = headSentences(comments, program.body[0]?.start ?? 0)
      if (sentences === 0 || sentences > maxSentences)
        problems.push(`${file.path} needs a head comment of one to ${maxSentences} sentences`)
      return problems
    })
}

function isNamedReExport(statement: Node): boolean {
  return statement.type === 'ExportNamedDeclaration' && statement.source !== null
}

function headSentences(comments: Comment[], end: number): number {
  const text = comments
    .filter((comment) => comment.end <= end)
    .map(({ value }) => value.trim())
    .join(' ')
  return text.split(/[.!?](?:\s|$)/).filter((sentence) => sentence.trim() !== '').length
}
