import type { RequestDocuments } from '../request-documents.ts'
import type { WrittenFes } from './read-fes.ts'

/**
 * Reads a filter as GeoServer's `cql_filter` takes it: ECQL, its geometries in the CRS of the layer where none is named, x
 * or easting first. Throws `OwsFailure`, `invalid-filter` and `unsupported-filter`.
 */
export async function readEcql(text: string, documents: RequestDocuments): Promise<WrittenFes> {
  const found = await documents.readEcql(text)
  if ('ids' in found) return { ids: found.ids }
  return { filter: (layer) => documents.ecqlOfLayer(text, found, layer) }
}
