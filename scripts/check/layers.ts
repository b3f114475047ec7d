import type { SourceFile } from './imports.ts'

/** The folders of `src/`: each imports only from itself and from those before it. */
export const layers = [
  'lib',
  'config',
  'geo',
  'formats',
  'sources',
  'transforms',
  'stores',
  'db',
  'jobs',
  'catalog',
  'importer',
  'monitoring',
  'http',
  'app',
  'app.ts',
  'cli',
  'main.ts',
] as const

/** What a folder may not import although it stands before it. */
const strangers: Record<string, readonly string[]> = {
  transforms: ['sources'],
  stores: ['sources', 'transforms'],
  monitoring: ['formats', 'sources', 'transforms', 'stores', 'catalog', 'importer'],
  'monitoring/collect': ['monitoring/query', 'monitoring/notify'],
  'monitoring/query': ['monitoring/collect', 'monitoring/notify'],
  'monitoring/notify': ['monitoring/collect', 'monitoring/query'],
}

/** Imports of `src/` that the order of the folders forbids, one message each. */
export function layerProblems(files: SourceFile[]): string[] {
  return files
    .filter((file) => file.path.startsWith('src/'))
    .flatMap((file) =>
      file.imports.flatMap((imported) => {
        const problem = importProblem(file.path, imported)
        return problem === undefined ? [] : [`${file.path} imports ${imported}: ${problem}`]
      }),
    )
}

function importProblem(from: string, to: string): string | undefined {
  if (isTest(from)) return undefined
  if (!to.startsWith('src/')) return to === 'package.json' ? undefined : 'it is outside src/'
  if (isTest(to)) return 'it is a test'
  const [user, used] = [folderOf(from), folderOf(to)]
  if (!isKnown(user) || !isKnown(used)) return 'its folder is missing in scripts/check/layers.ts'
  if (rank(used) > rank(user)) return `${user} comes before ${used}`
  for (const [folder, forbidden] of Object.entries(strangers)) {
    const target = isBelow(from, folder) ? forbidden.find((one) => isBelow(to, one)) : undefined
    if (target !== undefined) return `${folder} and ${target} do not know each other`
  }
  return undefined
}

/** Groups of files that import each other in a circle, one message each. */
export function cycleProblems(files: SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const problems: string[] = []
  const done = new Set<string>()
  const visit = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) problems.push(`circle of imports: ${[...trail.slice(start), path].join(' -> ')}`)
    if (start >= 0 || done.has(path)) return
    for (const next of byPath.get(path)?.imports ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const file of files) visit(file.path, [])
  return problems
}

function folderOf(path: string): string {
  return path.split('/')[1] ?? ''
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`src/${folder}/`)
}

function isKnown(folder: string): boolean {
  return rank(folder) >= 0
}

function rank(folder: string): number {
  return (layers as readonly string[]).indexOf(folder)
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}
