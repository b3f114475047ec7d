import { requireStyleSize } from '../../../cartography/read-style.ts'
import type { SldLayer } from '../../../cartography/sld/read-sld.ts'
import { Failure } from '../../../lib/errors.ts'
import type { KeyValues } from '../key-values.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { RequestDocuments } from '../request-documents.ts'

/**
 * The styles that a request brings along in `SLD_BODY` (OGC 05-078r4, section 11), by the names of its layers; undefined where it has none.
 * `SLD`, which would have the server fetch an address, is not read. Throws `OwsFailure` for what cannot be read.
 */
export async function readSentStyles(
  values: KeyValues,
  documents: RequestDocuments,
): Promise<Map<string, SldLayer> | undefined> {
  const document = values.find('sld_body')
  if (document === undefined) return undefined
  const layers = await readLayers(document, documents)
  if (layers.length === 0) throw wrong('SLD_BODY has no NamedLayer')
  const narrowed = layers.find(({ isNarrowed }) => isNarrowed)
  if (narrowed !== undefined)
    throw new OwsFailure(
      'OperationNotSupported',
      `SLD_BODY has a constraint of layer "${narrowed.name}", which is not read: give the filter to the rules, or by CQL_FILTER`,
      'sld_body',
    )
  return new Map(layers.map((layer) => [layer.name, layer]))
}

async function readLayers(document: string, documents: RequestDocuments): Promise<SldLayer[]> {
  try {
    const layers = await documents.readSld(document)
    requireStyleSize(layers.flatMap(({ style }) => style?.rules ?? []))
    return layers
  } catch (error) {
    if (error instanceof Failure) throw wrong(`SLD_BODY cannot be read: ${error.message}`)
    throw error
  }
}

function wrong(text: string): OwsFailure {
  return new OwsFailure('InvalidParameterValue', text, 'sld_body')
}
