import type { Node } from 'oxc-parser'
import type { SourceFile } from './imports.ts'
import { lineAt, syntaxOf, walk } from './syntax.ts'

const forbidden = [
  { pattern: /^kysely(?:$|\/)/, why: 'SQL is made below http' },
  { pattern: /^src\/core\/db\//, why: 'the database is asked below http' },
  { pattern: /-repository\.ts$/, why: 'records are read and written below http' },
  { pattern: /^src\/core\/secrets\/vault\.ts$/, why: 'secrets are kept below http' },
]
const queryMethods = ['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'transaction']

/**
 * Returns one message for each file of `src/api/` that imports below the packages it serves: records, SQL or
 * secrets.
 */
export function httpProblems(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('src/api/') && !path.endsWith('.test.ts'))
    .flatMap((file) => {
      const imported = [...file.imports, ...file.packages].flatMap((target) => {
        const rule = forbidden.find(({ pattern }) => pattern.test(target))
        return rule === undefined ? [] : [`${file.path} imports ${target}: ${rule.why}`]
      })
      return [...imported, ...queries(file)]
    })
}

function queries(file: SourceFile): string[] {
  const problems: string[] = []
  walk(syntaxOf(file).program, (node) => {
    const method = calledMethod(node)
    if (method === undefined || !queryMethods.includes(method)) return
    problems.push(`${file.path}:${lineAt(file.text, node.start)} calls ${method}: SQL is made below http`)
  })
  return problems
}

function calledMethod(node: Node): string | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined
  const { property } = node.callee
  return property.type === 'Identifier' ? property.name : undefined
}
