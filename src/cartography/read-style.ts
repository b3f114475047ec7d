import { readMapLibre } from './maplibre/read-maplibre.ts'
import type { Style } from './model.ts'
import { readSld } from './sld/read-sld.ts'
import type { StyleFormat } from './style-format.ts'

/**
 * What a style document says; undefined where its language cannot be read. Throws `Failure` (`invalid`) for a document that is
 * not what its format says.
 */
export function readStyle({
  format,
  document,
}: {
  format: StyleFormat
  document: string
}): Style | undefined {
  if (format === 'sld') return readSld(document)
  return format === 'maplibre' ? readMapLibre(document) : undefined
}
