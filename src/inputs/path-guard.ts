import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { invalid } from '../core/errors/errors.ts'
import { isWithin } from '../core/files/guarded-files.ts'

/** Returns the path with all links resolved, as far as it exists. */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const parent = dirname(path)
    if (parent === path || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return resolve(await realPathOf(parent), relative(parent, path))
  }
}

/** True if the path, with its links resolved, is in one of the folders. */
export async function isInside(folders: readonly string[], path: string): Promise<boolean> {
  return isRealInside(folders, await realPathOf(path))
}

async function isRealInside(folders: readonly string[], real: string): Promise<boolean> {
  for (const folder of folders) if (isWithin(await realPathOf(folder), real)) return true
  return false
}

function toPath(text: string, roots: readonly string[]): string {
  if (text.includes('\0')) throw invalid('invalid-path', 'The path contains a null character')
  if (/^[a-z]:[\\/]/i.test(text) || (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) && !/^file:/i.test(text))) {
    throw invalid(
      'invalid-path',
      `"${text}" is not a path of this server: use data of type "remote" for other servers`,
    )
  }
  const plain = /^file:/i.test(text) ? fileUrlPath(text) : text
  return isAbsolute(plain) ? resolve(plain) : resolve(roots[0] ?? '/', plain)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('invalid-path', `A % in "${text}" is not followed by a hexadecimal number`)
  }
}

function fileUrlPath(text: string): string {
  try {
    const url = new URL(text)
    return fileURLToPath(url)
  } catch {
    return decode(text.slice('file:'.length).replace(/^\/\/(?=[^/])/, ''))
  }
}

/**
 * Returns the real path of `text`, which must be in an import root. A relative path is relative to the first
 * root; `file:` URLs are accepted. It need not exist. Throws a `Failure` that names the setting. The path is
 * checked again by its handle when read (`lib/files/guarded-files.ts`).
 */
export async function resolveInRoots(text: string, roots: readonly string[]): Promise<string> {
  const path = toPath(text, roots)
  const real = await realPathOf(path).catch(() => undefined)
  if (real !== undefined && (await isRealInside(roots, real))) return real
  throw invalid(
    'path-outside-roots',
    `"${text}" is outside the import folders: add its folder to TERRANE_IMPORT_ROOTS`,
  )
}
