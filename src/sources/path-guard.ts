import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { invalid } from '../lib/errors.ts'

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** The path with all links resolved, as far as it exists. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const parent = dirname(path)
    if (parent === path || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return resolve(await realPathOf(parent), relative(parent, path))
  }
}

/** True when the path, its links resolved, lies in one of the folders. */
export async function isInside(folders: readonly string[], path: string): Promise<boolean> {
  const real = await realPathOf(path)
  for (const folder of folders) if (isWithin(await realPathOf(folder), real)) return true
  return false
}

function toPath(text: string, roots: readonly string[]): string {
  if (text.includes('\0')) throw invalid('invalid-path', 'A path holds no null character')
  const plain = text.startsWith('file:') ? fileUrlPath(text) : text
  return isAbsolute(plain) ? resolve(plain) : resolve(roots[0] ?? '/', plain)
}

function fileUrlPath(text: string): string {
  try {
    const url = new URL(text)
    return fileURLToPath(url)
  } catch {
    return decodeURIComponent(text.slice('file:'.length).replace(/^\/\/(?=[^/])/, ''))
  }
}

/**
 * The real path that `text` names, which must lie in an import root; a relative one counts from the first root,
 * `file:` URLs are taken too. It need not exist. Throws `Failure` that names the setting.
 */
export async function resolveInRoots(text: string, roots: readonly string[]): Promise<string> {
  const path = toPath(text, roots)
  const isAllowed = await isInside(roots, path).catch(() => false)
  if (isAllowed) return realPathOf(path)
  throw invalid(
    'path-outside-roots',
    `"${text}" is not inside a folder that may be imported from: add its folder to TERRANE_IMPORT_ROOTS`,
  )
}
