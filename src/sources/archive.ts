import { basename } from 'node:path'
import { invalid } from '../lib/errors.ts'
import type { ExtractOptions } from './limits.ts'
import { extractZip } from './zip.ts'

/** A kind of archive; `extract` writes into an empty folder of its own and nowhere else. */
export interface ArchiveKind {
  name: string
  /** Lower-case endings of file names, with the dot. */
  endings: readonly string[]
  extract?(archive: string, folder: string, options: ExtractOptions): Promise<void>
}

/** Kinds without `extract` are recognised and refused with a message. */
export const archives: readonly ArchiveKind[] = [
  { name: 'zip', endings: ['.zip'], extract: extractZip },
  { name: 'tar', endings: ['.tar', '.tar.gz', '.tgz', '.tar.bz2', '.tbz2', '.tar.xz', '.txz'] },
  { name: 'gzip', endings: ['.gz'] },
  { name: 'bzip2', endings: ['.bz2'] },
  { name: 'xz', endings: ['.xz'] },
  { name: '7z', endings: ['.7z'] },
  { name: 'kmz', endings: ['.kmz'] },
]

/** The kind of archive a file is by its name, or undefined. */
export function findArchive(path: string): ArchiveKind | undefined {
  const name = path.toLowerCase()
  return archives.find((kind) => kind.endings.some((ending) => name.endsWith(ending)))
}

/** Unpacks an archive into an empty folder; throws `Failure` for a broken or refused one. */
export async function extractArchive(
  archive: string,
  folder: string,
  options: ExtractOptions,
): Promise<void> {
  const kind = findArchive(archive)
  if (kind?.extract === undefined) {
    const name = kind === undefined ? 'no archive that is known' : `a ${kind.name} archive, which is not read`
    throw invalid('archive-not-supported', `"${basename(archive)}" is ${name}: use zip`)
  }
  await kind.extract(archive, folder, options)
}
