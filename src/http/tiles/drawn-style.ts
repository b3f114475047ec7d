import { defaultStyleName, defaultStyles } from '../../cartography/default-styles.ts'
import { readMapLibre } from '../../cartography/maplibre.ts'
import type { Style } from '../../cartography/model.ts'
import { readSld } from '../../cartography/read-sld.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { LayerRecord, StyleRecord } from '../../catalog/records.ts'
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

type Drawing = ReturnType<typeof readSld>

function toStyle({ rules, lost, ...rest }: Drawing): Style {
  return {
    ...rest,
    lost,
    rules: rules.map(({ isElse, ...rule }) => ({
      ...rule,
      ...(isElse === true ? { isElse } : {}),
      symbols: rule.symbols.map((symbol) => {
        if (symbol.kind !== 'text') return symbol
        const { property, halo, ...text } = symbol
        return {
          ...text,
          label: [{ property }],
          opacity: 1,
          ...(halo === undefined ? {} : { halo: { ...halo, opacity: 1 } }),
        }
      }),
    })),
  }
}

function readStyle({ format, document }: Pick<StyleRecord, 'format' | 'document'>): Style | undefined {
  if (format === 'qml') return undefined
  return toStyle(format === 'sld' ? readSld(document) : readMapLibre(document))
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
