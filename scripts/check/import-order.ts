import type { SourceFile } from './imports.ts'
import type { ModuleOrder, ModuleRules } from './layers.ts'

type Imports = Pick<SourceFile, 'path' | 'imports'>

/**
 * Returns the program, the pages or the package that a file belongs to. None of them imports another, except
 * that the program imports packages.
 */
function wingOf(path: string): string | undefined {
  return /^(?:src|web|packages\/[^/]+)\//.exec(path)?.[0]
}

/** Returns one message for each import in `src/`, `web/` and `packages/` that the layer rules forbid. */
export function layerProblems(files: Imports[], house: ModuleRules): string[] {
  return files
    .filter(({ path }) => wingOf(path) !== undefined && !isTest(path))
    .flatMap(({ path, imports }) =>
      imports.flatMap((imported) => {
        const problem = importProblem(path, imported, house)
        return problem === undefined ? [] : [`${path} imports ${imported}: ${problem}`]
      }),
    )
}

function importProblem(from: string, to: string, house: ModuleRules): string | undefined {
  const wing = wingOf(from)
  if (wing === 'src/' && wingOf(to)?.startsWith('packages/'))
    return /^packages\/[^/]+\/index\.ts$/.test(to) ? undefined : 'a package is entered through index.ts'
  if (wing !== wingOf(to)) return to === 'package.json' ? undefined : `it is outside ${wing}`
  if (isTest(to)) return 'it is a test'
  return (
    orderProblem(from, to, house.rooms) ?? strangerProblem(from, to, house) ?? doorProblem(from, to, house)
  )
}

function orderProblem(from: string, to: string, rooms: ModuleRules['rooms']): string | undefined {
  for (const [folder, order] of Object.entries(rooms)) {
    if (!isIn(from, folder) || !isIn(to, folder)) continue
    const [user, used] = [placeOf(from, folder, order), placeOf(to, folder, order)]
    if (user.name === used.name) continue
    if (user.rank === used.rank) return `${user.name} and ${used.name} do not know each other`
    if (user.rank < used.rank) return `${user.name} comes before ${used.name}`
  }
  return undefined
}

function strangerProblem(from: string, to: string, { strangers }: ModuleRules): string | undefined {
  for (const [folder, forbidden] of Object.entries(strangers)) {
    const target = isIn(from, folder) ? forbidden.find((one) => isIn(to, one)) : undefined
    if (target !== undefined) return `${folder} and ${target} do not know each other`
  }
  return undefined
}

function doorProblem(from: string, to: string, { doors }: ModuleRules): string | undefined {
  for (const [folder, files] of Object.entries(doors)) {
    if (isIn(from, folder) || !isIn(to, folder)) continue
    if (!files.includes(inside(to, folder))) return `${folder} is entered through ${files.join(' or ')}`
  }
  return undefined
}

/**
 * Returns one message for each file or folder that the plan lacks, and for each one that it names but does
 * not exist.
 */
export function planProblems(paths: string[], house: ModuleRules): string[] {
  const files = paths.filter((path) => wingOf(path) !== undefined && !isTest(path))
  const isThere = (place: string): boolean => files.some((path) => path === place || isIn(path, place))
  const named = [
    ...Object.entries(house.rooms).flatMap(([folder, order]) =>
      order.flat().map((room) => (room === '.' || room === '*' ? folder : `${folder}/${room}`)),
    ),
    ...Object.entries(house.doors).flatMap(([folder, doors]) => doors.map((door) => `${folder}/${door}`)),
    ...Object.entries(house.strangers).flatMap(([folder, others]) => [folder, ...others]),
    ...house.unordered,
  ]
  return [
    ...missingRooms(files, house.rooms),
    ...foldersWithoutOrder(files, house),
    ...named
      .filter((place) => !isThere(place))
      .map((place) => `${where} names ${place}, which does not exist`),
  ]
}

const where = 'scripts/check/layers.ts'

function missingRooms(files: string[], rooms: ModuleRules['rooms']): string[] {
  return Object.entries(rooms).flatMap(([folder, order]) => {
    const inFolder = files.filter((path) => isIn(path, folder))
    const names = new Set(inFolder.map((path) => placeOf(path, folder, order)).flatMap(unknownName))
    return [...names].map((name) => `${where} does not say where ${name} stands among the rooms of ${folder}`)
  })
}

function unknownName({ rank, name }: { rank: number; name: string }): string[] {
  return rank < 0 ? [name] : []
}

/**
 * Returns the folders whose sub-folders have no order, and the folders listed as unordered that do have one.
 */
function foldersWithoutOrder(files: string[], { rooms, unordered }: ModuleRules): string[] {
  const withRooms = new Set(
    files.flatMap((path) => {
      const parts = path.split('/')
      return parts.slice(2).map((_, index) => parts.slice(0, index + 1).join('/'))
    }),
  )
  const hasOrder = (folder: string): boolean => Object.hasOwn(rooms, folder)
  return [
    ...[...withRooms]
      .filter((folder) => !hasOrder(folder) && !unordered.includes(folder))
      .filter((folder) => roomsOf(files, folder) > 1)
      .map((folder) => `${where} gives the rooms of ${folder} no order`),
    ...unordered
      .filter(hasOrder)
      .map((folder) => `${where} says that ${folder} has no order, but it has one: remove it from the list`),
  ]
}

function roomsOf(files: string[], folder: string): number {
  return new Set(files.filter((path) => isIn(path, folder)).map((path) => roomOf(path, folder))).size
}

/**
 * Returns the package of a file within a folder, and its rank in the order; -1 if the order does not contain
 * the package.
 */
function placeOf(path: string, folder: string, order: ModuleOrder): { name: string; rank: number } {
  const rankOf = (room: string): number =>
    order.findIndex((one) => (typeof one === 'string' ? one === room : one.includes(room)))
  const first = inside(path, folder).split('/')[0] ?? ''
  const rank = rankOf(first)
  if (rank >= 0) return { name: first, rank }
  if (roomOf(path, folder) !== '.') return { name: first, rank: rankOf('*') }
  return rankOf('.') >= 0 ? { name: `the files of ${folder}`, rank: rankOf('.') } : { name: first, rank: -1 }
}

/** Returns the sub-folder of a folder that contains the file; `'.'` if the file is directly in the folder. */
function roomOf(path: string, folder: string): string {
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
