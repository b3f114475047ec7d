import type { SourceFile } from './imports.ts'
import type { ModuleRules } from './module-rules.ts'

/** Folder of `src/`, or file beside the folders, with its content and its imports. */
export interface ModuleLayer {
  name: string
  /** Packages of the folder, the ordered ones in their order. */
  modules: string[]
  /** Direct imports, without those already reached through another import. */
  needs: string[]
  /** Counted from the ground, which is 0: as high as those who need it allow. */
  level: number
}

/** Returns the layers of `src/`, derived from the imports. */
export function planOf(
  files: Pick<SourceFile, 'path' | 'imports'>[],
  { modules }: ModuleRules,
): ModuleLayer[] {
  const program = files.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'))
  const imports = new Map<string, Set<string>>()
  for (const { path, imports: imported } of program) {
    const needs = imports.get(folderOf(path)) ?? new Set()
    for (const one of imported) if (one.startsWith('src/')) needs.add(folderOf(one))
    imports.set(folderOf(path), needs)
  }
  for (const [name, needs] of imports) needs.delete(name)
  const names = (modules['src'] ?? []).flat().filter((name) => imports.has(name))
  const levels = levelsOf(names, imports)
  return names.map((name) => ({
    name,
    modules: modulesOf(`src/${name}`, program, modules),
    needs: directNeeds(name, imports),
    level: levels.get(name) ?? 0,
  }))
}

function folderOf(path: string): string {
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
function levelsOf(names: string[], imports: Map<string, Set<string>>): Map<string, number> {
  const below = new Map<string, number>()
  for (const name of names.toReversed()) {
    const users = names.filter((user) => imports.get(user)?.has(name))
    below.set(name, 1 + Math.max(-1, ...users.map((user) => below.get(user) ?? 0)))
  }
  const height = Math.max(0, ...below.values())
  return new Map([...below].map(([name, depth]) => [name, height - depth]))
}

function modulesOf(
  folder: string,
  files: Pick<SourceFile, 'path'>[],
  modules: ModuleRules['modules'],
): string[] {
  const there = new Set(
    files
      .filter(({ path }) => path.startsWith(`${folder}/`))
      .map(({ path }) => path.slice(folder.length + 1).split('/'))
      .filter((parts) => parts.length > 1)
      .map(([first = '']) => first),
  )
  const ordered = (modules[folder] ?? []).flat().filter((module) => there.has(module))
  const others = [...there].filter((module) => !ordered.includes(module)).sort()
  return [...ordered, ...others]
}
