import type { SourceFile } from './imports.ts'

/** Returns true if a file imports another one, directly or through other files. */
export function reaches(files: Pick<SourceFile, 'path' | 'imports'>[], from: string, to: string): boolean {
  const byPath = new Map(files.map((file) => [file.path, file.imports]))
  const seen = new Set<string>([from])
  for (const path of seen) {
    if (path === to) return true
    for (const next of byPath.get(path) ?? []) seen.add(next)
  }
  return false
}
