import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

export interface SourceFile {
  /** Path below the project's root, with slashes. */
  path: string
  text: string
  /** Paths of the project's own files that it imports, types and worker files included. */
  imports: string[]
  /** Packages that it imports, and modules of Node. */
  packages: string[]
}

// Statements start at a line's beginning in formatted code; worker files are named as `new URL('./x.ts', import.meta.url)`.
const statement = /^(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?['"]([^'"]+)['"]/gm
const dynamic = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g
const worker = /new URL\(\s*['"](\.[^'"]+\.ts)['"],\s*import\.meta\.url/g

/** The specifiers that a source text imports. */
export function importSpecifiers(text: string): string[] {
  return [statement, dynamic, worker].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => match[1] as string),
  )
}

/** Reads the files that match the patterns, with the project files each imports. */
export function readSources(root: string, patterns: string[]): SourceFile[] {
  const paths = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))
  return paths.map((path) => sourceFile(root, path.split(sep).join('/'))).sort(byPath)
}

export function sourceFile(
  root: string,
  path: string,
  text = readFileSync(join(root, path), 'utf8'),
): SourceFile {
  const folder = dirname(join(root, path))
  const isOwn = (specifier: string): boolean => specifier.startsWith('.')
  const specifiers = [...new Set(importSpecifiers(text))]
  const imports = specifiers
    .filter(isOwn)
    .map((specifier) => relative(root, resolve(folder, specifier)).split(sep).join('/'))
  return { path, text, imports, packages: specifiers.filter((specifier) => !isOwn(specifier)) }
}

function byPath(a: SourceFile, b: SourceFile): number {
  return a.path < b.path ? -1 : 1
}
