import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import type { SourceFile } from './imports.ts'

type Text = Pick<SourceFile, 'path' | 'text'>

const link = /\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g
const namedPath = /`((?:src|tests|bench|scripts|docs|sample|bin)\/[\w./-]*)`/g
const fileName = /`([\w.-]+(?:\/[\w.-]+)*\.(?:ts|mjs|sh))`/g
const setting = /\bTERRANE_[A-Z][A-Z_]*[A-Z]\b/g

/** Returns one message for each broken link or path in documents. */
export function brokenPaths(root: string, documents: Text[]): string[] {
  return documents.flatMap(({ path, text }) => {
    const linked = [...text.matchAll(link)].map((match) => join(dirname(path), match[1] as string))
    const named = [...text.matchAll(namedPath)].map((match) => match[1] as string)
    return [...linked, ...named]
      .filter((target) => !target.includes('*') && !existsSync(join(root, normalize(target))))
      .map((target) => `${path} names ${target}, which does not exist`)
  })
}

/**
 * Returns one message for each source file that a document names by the end of its path and that does not
 * exist.
 */
export function unknownFiles(sources: Pick<SourceFile, 'path'>[], documents: Text[]): string[] {
  const isThere = (name: string): boolean => sources.some(({ path }) => `/${path}`.endsWith(`/${name}`))
  return documents.flatMap(({ path, text }) =>
    [...text.matchAll(fileName)]
      .map((match) => match[1] as string)
      .filter((name) => !isThere(name))
      .map((name) => `${path} names ${name}, which does not exist`),
  )
}

/** Settings that the program reads and the README does not list, and the reverse. */
export function settingProblems(sources: Text[], readme: string): string[] {
  const isProgram = ({ path }: Text): boolean =>
    /^(?:src\/config|src\/cli|scripts\/setup)\//.test(path) && !path.includes('.test.')
  const read = new Set(sources.filter(isProgram).flatMap((file) => file.text.match(setting) ?? []))
  const listed = new Set(readme.match(setting) ?? [])
  return [
    ...[...read].filter((name) => !listed.has(name)).map((name) => `README.md does not list ${name}`),
    ...[...listed]
      .filter((name) => !read.has(name))
      .map((name) => `README.md lists ${name}, which nothing reads`),
  ]
}
