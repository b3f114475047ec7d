import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { extensionOf } from '../../src/formats/file-names.ts'
import type { DataFile, Format } from '../../src/formats/format.ts'
import { detectFormat, formats } from '../../src/formats/registry.ts'
import { extractArchive } from '../../src/inputs/archive.ts'
import { scanFolder } from '../../src/inputs/scan.ts'
import { defaultSourceLimits } from './source-limits.ts'

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url))
/** A format may have its example in its own folder. */
const besideFormats = fileURLToPath(new URL('../../src/formats', import.meta.url))
/** Larger files take longer without covering anything else. */
const usualBytes = 64 << 10
const maxBytes = 3 << 20

/** Formats that no free file was found for and that GDAL does not write; the suite asserts that the list is true. */
export const withoutExample: readonly string[] = [
  'MS Excel format',
  'IHO S-57 (ENC)',
  'Interlis 2',
  'AutoCAD Driver',
  'UK .NTF',
  'Norwegian SOSI Standard',
  'Geoconcept',
  'Storage and eXchange Format',
]

async function listExamples(folder: string, signal: AbortSignal): Promise<DataFile[]> {
  const archive = join(fixtures, 'examples', 'large.zip')
  const unpacked = join(folder, 'large')
  await extractArchive(archive, unpacked, { limits: defaultSourceLimits, signal })
  const found = await Promise.all(
    [fixtures, besideFormats, unpacked].map((one) => scanFolder(one, { signal, maxEntries: 10_000 })),
  )
  return found.flat()
}

/** Ranks the largest files of usual size first, then the smallest of the larger ones. */
function rankOf(bytes: number): number {
  return bytes <= usualBytes ? -bytes : bytes
}

/**
 * A fixture of each format, found by the extensions that it names itself. What needs unpacking goes to `folder`, which is
 * the caller's.
 */
export async function findExamples(folder: string): Promise<Map<Format, DataFile>> {
  const { signal } = new AbortController()
  const examples = new Map<Format, DataFile>()
  const sized = await Promise.all(
    (await listExamples(folder, signal)).map(async (file) => ({ file, bytes: (await stat(file.path)).size })),
  )
  for (const { file, bytes } of sized.sort((a, b) => rankOf(a.bytes) - rankOf(b.bytes))) {
    const extension = extensionOf(file.path)
    const isSelected = formats.some(
      (format) => format.extensions.includes(extension) && !examples.has(format),
    )
    if (bytes > maxBytes || !isSelected) continue
    const format = await detectFormat(file, signal)
    if (format !== undefined && !examples.has(format)) examples.set(format, file)
  }
  return examples
}
