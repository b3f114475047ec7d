import type { LayerRecord } from '../../catalog/records.ts'

/** Returns the names in `properties`; undefined if absent. A comma in a name is written `%2C`. */
export function parseProperties(url: string): string[] | undefined {
  const query = url.split('?', 2)[1]
  if (query === undefined) return undefined
  const given = query.split('&').flatMap((part) => {
    const equals = part.indexOf('=')
    return decode(equals < 0 ? part : part.slice(0, equals)) === 'properties'
      ? [equals < 0 ? '' : part.slice(equals + 1)]
      : []
  })
  if (given.length === 0) return undefined
  return [...new Set(given.flatMap((text) => text.split(',')))].filter((name) => name !== '').map(decode)
}

/** A text that cannot be decoded is not the name of an attribute. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Names of the attributes that tiles of a layer can hold, in the order of its schema. */
export function tileAttributes({ details: { schema } }: Pick<LayerRecord, 'details'>): string[] {
  return schema.attributes.filter(({ type }) => type !== 'binary').map(({ name }) => name)
}

/**
 * Returns the requested attributes that a layer has, in schema order; undefined: all, so that equal tiles are
 * cached once.
 */
export function chosenProperties(
  layer: LayerRecord,
  names: readonly string[] | undefined,
): string[] | undefined {
  if (names === undefined) return undefined
  const all = tileAttributes(layer)
  const chosen = all.filter((name) => names.includes(name))
  return chosen.length === all.length ? undefined : chosen
}

/** Those of the names that none of the layers has. */
export function unknownProperties(layers: readonly LayerRecord[], names: readonly string[] = []): string[] {
  if (names.length === 0) return []
  const known = new Set(layers.flatMap(tileAttributes))
  return names.filter((name) => !known.has(name))
}
