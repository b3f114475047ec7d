import { rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { invalid } from '../core/errors/errors.ts'
import { openGuarded } from '../core/files/guarded-files.ts'
import { foreignContent, htmlPage } from '../formats/index.ts'
import type { ArchiveKind } from './archives/archive-kind.ts'
import { broken, toFailure } from './archives/failures.ts'
import { archives } from './archives/registry.ts'
import type { ExtractOptions, Unpacked, UnpackingOptions } from './archives/unpacking.ts'
import { Unpacking } from './archives/unpacking.ts'

/** Number of bytes that identify a web page. */
const headBytes = 1024

/** Returns the kind of an archive by its name, or undefined. */
export function findArchive(path: string): ArchiveKind | undefined {
  const name = path.toLowerCase()
  return archives.find((kind) => kind.endings.some((ending) => name.endsWith(ending)))
}

/** Returns the name without the archive extension, for the folder of its content. */
export function withoutArchiveEnding(name: string): string {
  const lower = name.toLowerCase()
  const ending = findArchive(name)?.endings.find((one) => lower.endsWith(one)) ?? ''
  return name.slice(0, name.length - ending.length)
}

async function openUnpacking(
  archive: string,
  folder: string,
  name: string,
  options: Omit<UnpackingOptions, 'name' | 'archiveBytes'>,
): Promise<Unpacking> {
  const { size } = await stat(archive)
  return new Unpacking(folder, { ...options, name, archiveBytes: size })
}

/**
 * Unpacks an archive into an empty folder, which it creates. Throws `Failure` for a broken or refused archive
 * and for a full disk; then, and when the signal aborts, removes the folder. Returns the used amounts of the
 * limits.
 */
export async function extractArchive(
  archive: string,
  folder: string,
  { limits, signal, name = basename(archive), before }: ExtractOptions,
): Promise<Unpacked> {
  const kind = findArchive(name)
  if (kind?.unpack === undefined) {
    const what =
      kind === undefined ? 'no archive that is known' : `a ${kind.name} archive, which is not supported`
    throw kind?.refusal?.(name) ?? invalid('archive-not-supported', `"${name}" is ${what}: use zip`)
  }
  const { unpack, isSelected } = kind
  try {
    const unpacking = await openUnpacking(archive, folder, name, { limits, signal, isSelected, before })
    if (unpacking.archiveBytes === 0) throw broken(name, kind.name, 'the file is empty')
    await refusePage(archive, name, kind.name)
    await unpack(archive, unpacking)
    return unpacking.taken
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    signal.throwIfAborted()
    throw toFailure(error, name, kind.name)
  }
}

/** Throws if the file is a web page: servers send one if a login or consent is required before a download. */
async function refusePage(archive: string, name: string, kind: string): Promise<void> {
  const file = await openGuarded(archive)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    if (foreignContent(buffer.subarray(0, bytesRead)) !== htmlPage) return
  } finally {
    await file.close()
  }
  const why =
    'it is an HTML page, possibly a sign-in or consent page; download the archive with a browser and upload it'
  throw broken(name, kind, why)
}
