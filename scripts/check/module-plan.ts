import type { SourceFile } from './imports.ts'
import type { ModuleRules } from './layers.ts'

/** Folder of `src/`, or file beside the folders, with its content and its imports. */
export interface Storey {
  name: string
  /** Packages of the folder, the ordered ones in their order. */
  rooms: string[]
  /** Direct imports, without those already reached through another import. */
  needs: string[]
  /** Counted from the ground, which is 0: as high as those who need it allow. */
  floor: number
}

/** Returns the layers of `src/`, derived from the imports. */
export function planOf(files: Pick<SourceFile, 'path' | 'imports'>[], { rooms }: ModuleRules): Storey[] {
  const program = files.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'))
  const imports = new Map<string, Set<string>>()
  for (const { path, imports: imported } of program) {
    const needs = imports.get(storeyOf(path)) ?? new Set()
    for (const one of imported) if (one.startsWith('src/')) needs.add(storeyOf(one))
    imports.set(storeyOf(path), needs)
  }
  for (const [name, needs] of imports) needs.delete(name)
  const names = (rooms['src'] ?? []).flat().filter((name) => imports.has(name))
  const floors = floorsOf(names, imports)
  return names.map((name) => ({
    name,
    rooms: roomsOf(`src/${name}`, program, rooms),
    needs: directNeeds(name, imports),
    floor: floors.get(name) ?? 0,
  }))
}

function storeyOf(path: string): string {
  return path.split('/')[1] ?? ''
}

function directNeeds(name: string, imports: Map<string, Set<string>>): string[] {
  const needs = [...(imports.get(name) ?? [])]
  const through = new Set(needs.flatMap((need) => [...reached(need, imports)]))
  return needs.filter((need) => !through.has(need)).sort()
}

function reached(from: string, imports: Map<string, Set<string>>): Set<string> {
  const seen = new Set(imports.get(from))
  for (const name of seen) for (const next of imports.get(name) ?? []) seen.add(next)
  return seen
}

/**
 * Assigns each folder the level just below the lowest of its importers. The names come in their order, the
 * lowest first.
 */
function floorsOf(names: string[], imports: Map<string, Set<string>>): Map<string, number> {
  const below = new Map<string, number>()
  for (const name of names.toReversed()) {
    const users = names.filter((user) => imports.get(user)?.has(name))
    below.set(name, 1 + Math.max(-1, ...users.map((user) => below.get(user) ?? 0)))
  }
  const height = Math.max(0, ...below.values())
  return new Map([...below].map(([name, depth]) => [name, height - depth]))
}

function roomsOf(folder: string, files: Pick<SourceFile, 'path'>[], rooms: ModuleRules['rooms']): string[] {
  const there = new Set(
    files
      .filter(({ path }) => path.startsWith(`${folder}/`))
      .map(({ path }) => path.slice(folder.length + 1).split('/'))
      .filter((parts) => parts.length > 1)
      .map(([first = '']) => first),
  )
  const ordered = (rooms[folder] ?? []).flat().filter((room) => there.has(room))
  const others = [...there].filter((room) => !ordered.includes(room)).sort()
  return [...ordered, ...others]
}
