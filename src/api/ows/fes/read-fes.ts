import type { LayerRecord } from '../../../catalog/index.ts'
import type { XmlElement } from '../../../core/text/xml-tree.ts'
import { featureIdOf } from '../../../filters/fes/fes-reader.ts'
import { invalidFilter } from '../../../filters/filter-size.ts'
import type { RequestFilter } from '../../../stores/reading/request-filter.ts'
import type { RequestDocuments } from '../request-documents.ts'
import { withPlainAxes } from './plain-axes.ts'

/** A filter of Filter Encoding: feature ids, or conditions on the features of a layer. */
export interface WrittenFes {
  ids?: string[]
  filter?: (layer: LayerRecord) => Promise<RequestFilter>
}

/**
 * A filter of Filter Encoding 2.0, 1.1 or 1.0 (OGC 09-026r2, 04-095, 02-059); `isPlain`: its geometries have x or
 * easting first. Throws `invalid-filter` and `unsupported-filter`.
 */
export function readFes(
  filter: XmlElement,
  documents: RequestDocuments,
  { isPlain = false }: { isPlain?: boolean } = {},
): WrittenFes {
  if (filter.name !== 'Filter') throw invalidFilter(`The filter is "${filter.name}", expected Filter`)
  const ids = filter.children.flatMap((one) => featureIdOf(one) ?? [])
  if (ids.length > 0 && ids.length === filter.children.length) return { ids }
  const [only, ...others] = filter.children
  if (only === undefined || others.length > 0)
    throw invalidFilter('A Filter has one operator, or ids of features and nothing else')
  return {
    filter: (layer) => documents.readFes(isPlain ? withPlainAxes(only, layer.details.srs) : only, layer),
  }
}

/**
 * Reads a filter as GeoServer's `cql_filter` takes it: ECQL, its geometries in the CRS of the layer where none is named, x
 * or easting first. Throws `OwsFailure`, `invalid-filter` and `unsupported-filter`.
 */
export async function readEcql(text: string, documents: RequestDocuments): Promise<WrittenFes> {
  const found = await documents.readEcql(text)
  if ('ids' in found) return { ids: found.ids }
  return { filter: (layer) => documents.ecqlOfLayer(text, found, layer) }
}
