import { defaultStyleName, defaultStyles } from '../../cartography/default-styles.ts'
import type { Style } from '../../cartography/model.ts'
import { readStyle } from '../../cartography/read-style.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import { notFound } from '../../lib/errors.ts'

/** A style as pictures are drawn by it. */
export interface DrawnStyle {
  name: string
  style: Style
  /** Moves with any change of the style. */
  key: string
  /** What cannot be drawn of it. */
  messages: string[]
}

function plainStyle({ details: { kind, schema } }: LayerRecord): Style {
  const name = defaultStyleName(schema.geometry?.type, kind)
  const found = defaultStyles.find((one) => one.name === name)
  return (found && readStyle(found)) ?? { rules: [], lost: [] }
}

/** The style of a layer that `name` asks for, else the layer's own; throws `Failure` (`not-found`) for a name of none. */
export async function drawnStyle(
  { catalog }: { catalog: Pick<Catalog, 'styles'> },
  layer: LayerRecord,
  name: string | undefined,
): Promise<DrawnStyle> {
  const wanted = name === undefined || name === '' ? layer.details.style : name
  const record = await catalog.styles.resolve(layer.workspace, wanted)
  if (record === undefined && wanted !== layer.details.style)
    throw notFound('unknown-style', `Style "${wanted}" does not exist`)
  const read = record === undefined ? undefined : readStyle(record)
  const style = read ?? plainStyle(layer)
  const messages = style.lost.map((what) => `Not drawn: ${what}`)
  if (read === undefined)
    messages.unshift(`Style "${wanted}" cannot be drawn, the plain one stands in for it`)
  const key = record === undefined ? 'plain' : `${record.id}.${Date.parse(record.updatedAt).toString(36)}`
  return { name: wanted, style, key, messages }
}
