import { rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { invalid } from '../lib/errors.ts'
import type { Compression } from './archives/compressed.ts'
import { unpackCompressed, unpackTarFile } from './archives/compressed.ts'
import { broken, splitArchive, toFailure } from './archives/failures.ts'
import { unpackSevenZip } from './archives/seven-zip.ts'
import type { UnpackingOptions } from './archives/unpacking.ts'
import { Unpacking } from './archives/unpacking.ts'
import { unpackZip } from './archives/zip.ts'
import type { ExtractOptions, Unpacked } from './limits.ts'

/** A kind of archive; `unpack` reads the file and hands every entry to an `Unpacking`. */
export interface ArchiveKind {
  name: string
  /** Lower-case endings of file names, with the dot. */
  endings: readonly string[]
  /** Absent for kinds that are recognised and refused with a message. */
  unpack?(path: string, unpacking: Unpacking): Promise<void>
  /** Which entries are written; default: all. */
  isWanted?(name: string): boolean
}

function tarKind(name: string, compression: Compression | undefined, endings: string[]): ArchiveKind {
  return { name, endings, unpack: (path, unpacking) => unpackTarFile(path, compression, unpacking) }
}

function fileKind(name: Compression, ending: string): ArchiveKind {
  return {
    name,
    endings: [ending],
    unpack: (path, unpacking) =>
      unpackCompressed(path, name, unpacking.name.slice(0, -ending.length), unpacking),
  }
}

/** The first whose ending fits counts. */
export const archives: readonly ArchiveKind[] = [
  { name: 'zip', endings: ['.zip'], unpack: unpackZip },
  { name: 'kmz', endings: ['.kmz'], unpack: unpackZip, isWanted: (name) => /\.kml$/i.test(name) },
  { name: '7z', endings: ['.7z'], unpack: unpackSevenZip },
  tarKind('tar', undefined, ['.tar']),
  tarKind('tar.gz', 'gzip', ['.tar.gz', '.tgz']),
  tarKind('tar.bz2', 'bzip2', ['.tar.bz2', '.tbz2']),
  tarKind('tar.xz', 'xz', ['.tar.xz', '.txz']),
  fileKind('gzip', '.gz'),
  fileKind('bzip2', '.bz2'),
  fileKind('xz', '.xz'),
  { name: 'rar', endings: ['.rar'] },
  {
    name: 'split',
    endings: ['.z01', '.zip.001', '.7z.001', '.tar.001', '.tar.gz.001'],
    unpack: async (_path, { name }) => {
      throw splitArchive(name)
    },
  },
]

/** The kind of archive a file is by its name, or undefined. */
export function findArchive(path: string): ArchiveKind | undefined {
  const name = path.toLowerCase()
  return archives.find((kind) => kind.endings.some((ending) => name.endsWith(ending)))
}

/** The name without the ending of its kind of archive: what a folder of its content is called. */
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
 * Unpacks an archive into an empty folder, which is made. Throws `Failure` for a broken or refused archive and for a
 * full disk; then, and when the signal aborts, the folder is gone with all that was written. Gives what of the limits is
 * taken by then.
 */
export async function extractArchive(
  archive: string,
  folder: string,
  { limits, signal, name = basename(archive), before }: ExtractOptions,
): Promise<Unpacked> {
  const kind = findArchive(name)
  if (kind?.unpack === undefined) {
    const what = kind === undefined ? 'no archive that is known' : `a ${kind.name} archive, which is not read`
    throw invalid('archive-not-supported', `"${name}" is ${what}: use zip`)
  }
  const { unpack, isWanted } = kind
  try {
    const unpacking = await openUnpacking(archive, folder, name, {
      limits,
      signal,
      ...(isWanted === undefined ? {} : { isWanted }),
      ...(before === undefined ? {} : { before }),
    })
    if (unpacking.archiveBytes === 0) throw broken(name, kind.name, 'the file is empty')
    await unpack(archive, unpacking)
    return unpacking.taken
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    signal.throwIfAborted()
    throw toFailure(error, name, kind.name)
  }
}
