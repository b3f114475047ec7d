import { isExportList } from './entry-points.ts'
import type { SourceFile } from './imports.ts'
import type { ModuleOrder, ModuleRules } from './module-rules.ts'

type Imports = Pick<SourceFile, 'path' | 'imports'>

/**
 * Returns the program, the pages or the package that a file belongs to. None of them imports another, except
 * that the program imports packages.
 */
function treeOf(path: string): string | undefined {
  return /^(?:src|web|packages\/[^/]+)\//.exec(path)?.[0]
}

/** Returns one message for each import in `src/`, `web/` and `packages/` that the layer rules forbid. */
export function layerProblems(files: Imports[], rules: ModuleRules): string[] {
  return files
    .filter(({ path }) => treeOf(path) !== undefined && !isTest(path))
    .flatMap(({ path, imports }) =>
      imports.flatMap((imported) => {
        const problem = importProblem(path, imported, rules)
        return problem === undefined ? [] : [`${path} imports ${imported}: ${problem}`]
      }),
    )
}

function importProblem(from: string, to: string, rules: ModuleRules): string | undefined {
  const tree = treeOf(from)
  if (tree === 'src/' && treeOf(to)?.startsWith('packages/'))
    return /^packages\/[^/]+\/index\.ts$/.test(to) ? undefined : 'a package is entered through index.ts'
  if (tree !== treeOf(to)) return to === 'package.json' ? undefined : `it is outside ${tree}`
  if (isTest(to)) return 'it is a test'
  const isInside = folderOf(from) === folderOf(to)
  if (isInside && isExportList(to)) return 'files of a folder import each other directly'
  if (isInside && isExportList(from)) return undefined
  return (
    orderProblem(from, to, rules.modules) ??
    forbiddenProblem(from, to, rules) ??
    entryPointProblem(from, to, rules)
  )
}

/** Returns the folder of `src/` or `web/` that a file belongs to. */
function folderOf(path: string): string {
  return path.split('/').slice(0, 2).join('/')
}

function orderProblem(from: string, to: string, modules: ModuleRules['modules']): string | undefined {
  for (const [folder, order] of Object.entries(modules)) {
    if (!isIn(from, folder) || !isIn(to, folder)) continue
    const [user, used] = [placeOf(from, folder, order), placeOf(to, folder, order)]
    if (user.name === used.name) continue
    if (user.rank === used.rank) return `${user.name} and ${used.name} do not know each other`
    if (user.rank < used.rank) return `${user.name} comes before ${used.name}`
  }
  return undefined
}

function forbiddenProblem(from: string, to: string, { forbidden }: ModuleRules): string | undefined {
  for (const [folder, others] of Object.entries(forbidden)) {
    const target = isIn(from, folder) ? others.find((one) => isIn(to, one)) : undefined
    if (target !== undefined) return `${folder} and ${target} do not know each other`
  }
  return undefined
}

function entryPointProblem(from: string, to: string, { entryPoints }: ModuleRules): string | undefined {
  for (const [folder, files] of Object.entries(entryPoints)) {
    if (isIn(from, folder) || !isIn(to, folder)) continue
    if (!files.includes(inside(to, folder))) return `${folder} is entered through ${files.join(' or ')}`
  }
  return undefined
}

/**
 * Returns one message for each file or folder that the plan lacks, and for each one that it names but does
 * not exist.
 */
export function planProblems(paths: string[], rules: ModuleRules): string[] {
  const files = paths.filter((path) => treeOf(path) !== undefined && !isTest(path))
  const isThere = (place: string): boolean => files.some((path) => path === place || isIn(path, place))
  const named = [
    ...Object.entries(rules.modules).flatMap(([folder, order]) =>
      order.flat().map((module) => (module === '.' || module === '*' ? folder : `${folder}/${module}`)),
    ),
    ...Object.entries(rules.entryPoints).flatMap(([folder, entryPoints]) =>
      entryPoints.map((entryPoint) => `${folder}/${entryPoint}`),
    ),
    ...Object.entries(rules.forbidden).flatMap(([folder, others]) => [folder, ...others]),
    ...rules.unordered,
    ...rules.withoutIndex,
  ]
  return [
    ...missingModules(
      files.filter((path) => !isExportList(path)),
      rules.modules,
    ),
    ...foldersWithoutOrder(files, rules),
    ...foldersWithoutIndex(files, rules),
    ...named
      .filter((place) => !isThere(place))
      .map((place) => `${where} names ${place}, which does not exist`),
  ]
}

const where = 'scripts/check/layers.ts'

function missingModules(files: string[], modules: ModuleRules['modules']): string[] {
  return Object.entries(modules).flatMap(([folder, order]) => {
    const inFolder = files.filter((path) => isIn(path, folder))
    const names = new Set(inFolder.map((path) => placeOf(path, folder, order)).flatMap(unknownName))
    return [...names].map(
      (name) => `${where} does not say where ${name} stands among the modules of ${folder}`,
    )
  })
}

function unknownName({ rank, name }: { rank: number; name: string }): string[] {
  return rank < 0 ? [name] : []
}

/**
 * Returns the folders whose sub-folders have no order, and the folders listed as unordered that do have one.
 */
function foldersWithoutOrder(files: string[], { modules, unordered }: ModuleRules): string[] {
  const withModules = new Set(
    files.flatMap((path) => {
      const parts = path.split('/')
      return parts.slice(2).map((_, index) => parts.slice(0, index + 1).join('/'))
    }),
  )
  const hasOrder = (folder: string): boolean => Object.hasOwn(modules, folder)
  return [
    ...[...withModules]
      .filter((folder) => !hasOrder(folder) && !unordered.includes(folder))
      .filter((folder) => modulesOf(files, folder) > 1)
      .map((folder) => `${where} gives the modules of ${folder} no order`),
    ...unordered
      .filter(hasOrder)
      .map((folder) => `${where} says that ${folder} has no order, but it has one: remove it from the list`),
  ]
}

/** Returns the folders of `src/` without `index.ts`, unless they are listed, and listed ones that have one. */
function foldersWithoutIndex(files: string[], { entryPoints, withoutIndex }: ModuleRules): string[] {
  const folders = new Set(files.filter((path) => /^src\/[^/]+\//.test(path)).map((path) => folderOf(path)))
  return [...folders]
    .filter((folder) => (entryPoints[folder]?.[0] === 'index.ts') === withoutIndex.includes(folder))
    .map((folder) =>
      withoutIndex.includes(folder)
        ? `${where} says that ${folder} has no index.ts, but lists one among its entry points`
        : `${where} does not list index.ts first among the entry points of ${folder}`,
    )
}

function modulesOf(files: string[], folder: string): number {
  return new Set(files.filter((path) => isIn(path, folder)).map((path) => moduleOf(path, folder))).size
}

/**
 * Returns the package of a file within a folder, and its rank in the order; -1 if the order does not contain
 * the package.
 */
function placeOf(path: string, folder: string, order: ModuleOrder): { name: string; rank: number } {
  const rankOf = (module: string): number =>
    order.findIndex((one) => (typeof one === 'string' ? one === module : one.includes(module)))
  const first = inside(path, folder).split('/')[0] ?? ''
  const rank = rankOf(first)
  if (rank >= 0) return { name: first, rank }
  if (moduleOf(path, folder) !== '.') return { name: first, rank: rankOf('*') }
  return rankOf('.') >= 0 ? { name: `the files of ${folder}`, rank: rankOf('.') } : { name: first, rank: -1 }
}

/** Returns the sub-folder of a folder that contains the file; `'.'` if the file is directly in the folder. */
function moduleOf(path: string, folder: string): string {
  const [first = '', ...rest] = inside(path, folder).split('/')
  return rest.length === 0 ? '.' : first
}

/** Returns one message for each group of files that import each other in a cycle. */
export function cycleProblems(files: Imports[]): string[] {
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

function isIn(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

function inside(path: string, folder: string): string {
  return path.slice(folder.length + 1)
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}
