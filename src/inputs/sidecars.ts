import { basename, dirname, join } from 'node:path'
import { canStandAlone, goesWith, isSidecarExtension } from '../formats/index.ts'
import type { DataFile } from '../formats/worker.ts'

function splitExtension(name: string): { base: string; extension: string } {
  const dot = name.lastIndexOf('.')
  return dot <= 0
    ? { base: name, extension: '' }
    : { base: name.slice(0, dot), extension: name.slice(dot + 1).toLowerCase() }
}

interface Main {
  name: string
  file: DataFile
  extension: string
}

/**
 * Returns the ways to split `roads.tif.aux.xml` into a base and a sidecar extension, the longest extension
 * first.
 */
function sidecarSplits(name: string): { base: string; extension: string }[] {
  const splits: { base: string; extension: string }[] = []
  const parts = name.split('.')
  for (let from = Math.max(1, parts.length - 3); from < parts.length; from += 1) {
    const extension = parts.slice(from).join('.').toLowerCase()
    if (isSidecarExtension(extension)) splits.push({ base: parts.slice(0, from).join('.'), extension })
  }
  return splits
}

/** Indexes main files by base name and by full name, both in lower case. */
function indexMains(folder: string, names: readonly string[]): Map<string, Main[]> {
  const index = new Map<string, Main[]>()
  for (const name of names) {
    const { base, extension } = splitExtension(name)
    const main: Main = { name, extension, file: { path: join(folder, name), sidecars: {} } }
    for (const key of base === name ? [name.toLowerCase()] : [base.toLowerCase(), name.toLowerCase()]) {
      const mains = index.get(key)
      if (mains === undefined) index.set(key, [main])
      else mains.push(main)
    }
  }
  return index
}

function isExactly(main: Main, base: string): boolean {
  return main.name === base || splitExtension(main.name).base === base
}

function attach(folder: string, name: string, mains: Map<string, Main[]>): boolean {
  for (const { base, extension } of sidecarSplits(name)) {
    const named = mains.get(base.toLowerCase()) ?? []
    const fitting = named.filter((main) => goesWith(extension, main.extension))
    const exact = fitting.filter((main) => isExactly(main, base))
    for (const main of exact.length > 0 ? exact : fitting) {
      main.file.sidecars[extension] ??= join(folder, name)
    }
    if (fitting.length > 0) return true
  }
  return false
}

/** Compares paths in the order of tasks: without case first, then with case. */
export function comparePaths(a: string, b: string): number {
  const left = a.toLowerCase()
  const right = b.toLowerCase()
  if (left !== right) return left < right ? -1 : 1
  return a === b ? 0 : a < b ? -1 : 1
}

/** Sorts like `comparePaths`, with each path converted to lower case once. */
function sortByPath<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  const keyed = items.map((item) => ({ item, path: pathOf(item), key: pathOf(item).toLowerCase() }))
  keyed.sort((a, b) => {
    if (a.key !== b.key) return a.key < b.key ? -1 : 1
    return a.path === b.path ? 0 : a.path < b.path ? -1 : 1
  })
  return keyed.map(({ item }) => item)
}

/** Attaches sidecars to their main files; returns those without a main file. */
function attachAll(folder: string, names: readonly string[], mains: Map<string, Main[]>): string[] {
  return names.filter((name) => !attach(folder, name, mains))
}

function groupFolder(folder: string, names: readonly string[]): DataFile[] {
  const sidecars = names.filter((name) => sidecarSplits(name).length > 0)
  if (sidecars.length === 0) return names.map((name) => ({ path: join(folder, name), sidecars: {} }))
  const belonging = new Set(sidecars)
  const mains = indexMains(
    folder,
    names.filter((name) => !belonging.has(name)),
  )
  const alone = attachAll(folder, sidecars, mains)
  // Files without a main file may be main files, such as a .dbf table with its own sidecars.
  const further = indexMains(folder, alone.filter(isMainAlone))
  const left = attachAll(
    folder,
    alone.filter((name) => !isMainAlone(name)),
    further,
  )
  const files = [...mains.values(), ...further.values()].flat().map((main) => main.file)
  return [...new Set(files), ...left.map((name) => ({ path: join(folder, name), sidecars: {} }))]
}

function isMainAlone(name: string): boolean {
  return canStandAlone(splitExtension(name).extension)
}

/**
 * Combines main files with their sidecars: same folder, same base name in any case, a known extension. A
 * sidecar without a main file is listed by itself. Ordered by path without case.
 */
export function groupSidecars(paths: readonly string[]): DataFile[] {
  const folders = new Map<string, string[]>()
  for (const path of sortByPath(paths, (one) => one)) {
    const names = folders.get(dirname(path))
    if (names === undefined) folders.set(dirname(path), [basename(path)])
    else names.push(basename(path))
  }
  const files = [...folders].flatMap(([folder, names]) => groupFolder(folder, names))
  return sortByPath(files, ({ path }) => path)
}
