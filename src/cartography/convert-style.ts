import { writeMapLibre } from './maplibre/write-maplibre.ts'
import { readStyle } from './read-style.ts'
import { writeSld } from './sld/write-sld.ts'
import type { StyleFormat } from './style-format.ts'

/**
 * A style document in another format; the same where it is that format already. Undefined where there is no way. Throws
 * `Failure` (`invalid`) for a document that is not what its format says.
 */
export function convertStyle(
  { name, format, document }: { name: string; format: StyleFormat; document: string },
  wanted: StyleFormat,
): string | undefined {
  if (format === wanted) return document
  const style = readStyle({ format, document })
  if (style === undefined || wanted === 'qml') return undefined
  return (wanted === 'sld' ? writeSld(style, name) : writeMapLibre(style, name)).document
}
