import { existsSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import type { SourceFile } from './imports.ts'

type Text = Pick<SourceFile, 'path' | 'text'>

const link = /\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g
const namedPath = /`((?:src|tests|bench|scripts|docs|sample|bin)\/[\w./-]*)`/g
const fileName = /`([\w.-]+(?:\/[\w.-]+)*\.(?:ts|mjs|sh))`/g
const tableCell = /^\|.*\|([^|]*)\|$/gm
const codeName = /`([A-Za-z_]\w*)`/g
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

/** Returns one message for each page of a folder that its index does not link to. */
export function unlistedPages(index: Text, pages: Pick<SourceFile, 'path'>[]): string[] {
  return pages
    .filter(({ path }) => dirname(path) === dirname(index.path) && path !== index.path)
    .filter(({ path }) => !index.text.includes(`(${basename(path)})`))
    .map(({ path }) => `${index.path} does not link to ${path}`)
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

/** Names in the last column of a glossary that no source declares as a type, class, function or table; one message each. */
export function unknownTerms(sources: Text[], page: Text): string[] {
  const program = sources.filter(({ path }) => path.startsWith('src/'))
  const isDeclared = (name: string): boolean => {
    const declaration = new RegExp(`\\b(?:interface|type|class|function) ${name}\\b|createTable\\('${name}'`)
    return program.some(({ text }) => declaration.test(text))
  }
  return [...page.text.matchAll(tableCell)]
    .flatMap(([, cell = '']) => [...cell.matchAll(codeName)].map(([, name = '']) => name))
    .filter((name) => !isDeclared(name))
    .map((name) => `${page.path} names ${name}, which no source declares`)
}

/** Settings that the program reads and the page of settings does not list, and the reverse. */
export function settingProblems(sources: Text[], page: Text): string[] {
  const isProgram = ({ path }: Text): boolean =>
    /^(?:src\/core\/config|src\/cli|scripts\/setup)\//.test(path) && !path.includes('.test.')
  const read = new Set(sources.filter(isProgram).flatMap((file) => file.text.match(setting) ?? []))
  const listed = new Set(page.text.match(setting) ?? [])
  return [
    ...[...read].filter((name) => !listed.has(name)).map((name) => `${page.path} does not list ${name}`),
    ...[...listed]
      .filter((name) => !read.has(name))
      .map((name) => `${page.path} lists ${name}, which nothing reads`),
  ]
}
