import type { ArchiveKind } from './archive-kind.ts'
import { compressedFiles, tarFiles } from './compressed.ts'
import { rar, split } from './refused.ts'
import { sevenZip } from './seven-zip.ts'
import { kmz, zip } from './zip.ts'

/** All kinds of archives; the first with a matching extension is used. */
export const archives: readonly ArchiveKind[] = [
  zip,
  kmz,
  sevenZip,
  ...tarFiles,
  ...compressedFiles,
  rar,
  split,
]
