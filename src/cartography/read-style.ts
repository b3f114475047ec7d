import { invalid } from '../lib/errors.ts'
import { readMapLibre } from './maplibre/read-maplibre.ts'
import type { Style } from './model.ts'
import { readQml } from './qml/read-qml.ts'
import { readSld } from './sld/read-sld.ts'
import type { StyleFormat } from './style-format.ts'

/** Rules of a style at most. */
export const maxRules = 5000

/**
 * What a style document says; undefined for one of QGIS that holds forms or actions alone. Throws `Failure` (`invalid`) for a document that is
 * not what its format says.
 */
export function readStyle(styled: { format: StyleFormat; document: string }): Style | undefined {
  const style = readDocument(styled)
  if (style !== undefined && style.rules.length > maxRules)
    throw invalid('invalid-style', `The style has ${style.rules.length} rules: at most ${maxRules} are read`)
  return style
}

function readDocument({ format, document }: { format: StyleFormat; document: string }): Style | undefined {
  if (format === 'sld') return readSld(document)
  return format === 'maplibre' ? readMapLibre(document) : readQml(document)
}
