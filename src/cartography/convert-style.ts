import { readMapLibre } from './maplibre/read-maplibre.ts'
import { writeMapLibre } from './maplibre/write-maplibre.ts'
import { readSld } from './sld/read-sld.ts'
import { writeSld } from './sld/write-sld.ts'
import type { StyleFormat } from './style-format.ts'

/**
 * A style document in another format; the same where it is that format already. Undefined where there is no way: QML
 * is only given back as it came. Throws `Failure` (`invalid`) for a document that is not what its format says.
 */
export function convertStyle(
  style: { name: string; format: StyleFormat; document: string },
  wanted: StyleFormat,
): string | undefined {
  const { name, format, document } = style
  if (format === wanted) return document
  if (format === 'sld' && wanted === 'maplibre') return writeMapLibre(readSld(document), name).document
  if (format === 'maplibre' && wanted === 'sld') return writeSld(readMapLibre(document), name).document
  return undefined
}
