import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node } from 'oxc-parser'
import { runTool } from './run-tool.ts'
import { syntaxOf, walk } from './syntax.ts'

interface Named {
  name: string
  line?: number
}

interface Issue {
  file: string
  files: Named[]
  exports: Named[]
  types: Named[]
  duplicates: Named[][]
  dependencies: Named[]
  devDependencies: Named[]
}

/**
 * Files that nothing imports, exports that no other file imports, packages that nothing uses, and exports that tests alone
 * use; one message each. knip finds them: `knip.jsonc` names the files at which programs and tests start.
 */
export async function unusedProblems(root: string): Promise<string[]> {
  const [all, program] = await Promise.all([ask(root, []), ask(root, ['--production'])])
  const unusedFiles = new Set(all.filter(({ files }) => files.length > 0).map(({ file }) => file))
  const others = program.filter(({ file }) => !unusedFiles.has(file))
  return [...all.flatMap(problemsOf), ...others.flatMap((issue) => forTestsAlone(root, issue))]
}

async function ask(root: string, options: string[]): Promise<Issue[]> {
  const knip = join(root, 'node_modules', '.bin', 'knip')
  const { output, complained } = await runTool(root, knip, ['--no-progress', '--reporter=json', ...options])
  if (!output.startsWith('{')) throw new Error(`knip failed: ${complained || output}`)
  return (JSON.parse(output) as { issues: Issue[] }).issues
}

function problemsOf(issue: Issue): string[] {
  const { file } = issue
  const place = ({ line }: Named): string => (line === undefined ? file : `${file}:${line}`)
  return [
    ...issue.files.map(() => `${file} is imported by nothing`),
    ...[...issue.exports, ...issue.types].map(
      (one) => `${place(one)} exports ${one.name}, which nothing imports`,
    ),
    ...issue.duplicates.map(
      (names) => `${file} exports one thing as ${names.map(({ name }) => name).join(', ')}`,
    ),
    ...[...issue.dependencies, ...issue.devDependencies].map(
      ({ name }) => `nothing uses the package ${name}`,
    ),
  ]
}

/** Returns exports that the program does not import and that their own file does not use either. */
function forTestsAlone(root: string, { file, files, exports, types }: Issue): string[] {
  if (!file.startsWith('src/')) return []
  if (files.length > 0) return [`${file} is imported by tests alone`]
  const text = readFileSync(join(root, file), 'utf8')
  const uses = usesOf(syntaxOf({ path: file, text }).program)
  return [...exports, ...types]
    .filter(({ name }) => (uses.get(name) ?? 0) < 2)
    .map(({ name, line }) => `${file}:${line} exports ${name}, which tests alone use`)
}

/** Counts how often each name occurs in a file, including its declaration. */
function usesOf(program: Node): Map<string, number> {
  const uses = new Map<string, number>()
  walk(program, (node) => {
    if (node.type === 'Identifier') uses.set(node.name, (uses.get(node.name) ?? 0) + 1)
  })
  return uses
}
