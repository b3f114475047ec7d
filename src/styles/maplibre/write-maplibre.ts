import { DistinctNames } from '../../core/text/free-name.ts'
import { passOf } from '../evaluate.ts'
import { withoutElse } from '../expand.ts'
import type { WrittenStyle } from '../losses.ts'
import { Losses } from '../losses.ts'
import type { Rule, Style } from '../model.ts'
import { zoomOfScale } from '../scale.ts'
import { metadataNames } from './read-maplibre.ts'
import type { Node } from './read-values.ts'
import { writeMapLibreFilter } from './write-filter.ts'
import type { MapLibreLayer, SymbolLayer } from './write-symbols.ts'
import { mapLibreLayers } from './write-symbols.ts'

const anyLayer: MapLibreLayer = { types: new Map() }

/** Writes the layers of a style, and lists what they do not draw. */
export function writeLayers(
  style: Style,
  drawn: MapLibreLayer = anyLayer,
): { layers: Node[]; lost: string[] } {
  const losses = new Losses(style.lost)
  const ids = new DistinctNames({ separator: ' ', first: 2 })
  const rules = withoutElse(style.rules, losses).toSorted((one, other) => passOf(one) - passOf(other))
  const layers = rules.flatMap((rule, index) => {
    const parts = rule.symbols.flatMap((symbol) => mapLibreLayers(symbol, drawn, losses))
    const frame = frameOf(rule, drawn, losses)
    return parts.map((part) => ({
      id: ids.take(rule.name ?? `rule ${index + 1}`),
      source: 'layer',
      ...metadataOf(rule, part, parts.length > 1 ? index : undefined),
      ...frame,
      ...part.layer,
    }))
  })
  return { layers, lost: losses.list() }
}

/** Returns the filter and the zoom range of a rule's layers. */
function frameOf({ condition, minScale, maxScale }: Rule, { types }: MapLibreLayer, losses: Losses): Node {
  const filter = condition === undefined ? undefined : writeMapLibreFilter(condition, types, losses)
  return {
    ...(filter === undefined ? {} : { filter }),
    ...(maxScale === undefined ? {} : { minzoom: zoomWithin(maxScale) }),
    ...(minScale === undefined ? {} : { maxzoom: zoomWithin(minScale) }),
  }
}

/** The specification allows zooms from 0 to 24. */
function zoomWithin(scale: number): number {
  return Math.max(0, Math.min(24, zoomOfScale(scale)))
}

function metadataOf(
  { title, abstract }: Rule,
  { isOutline, mark }: SymbolLayer,
  group: number | undefined,
): Node {
  const metadata = {
    ...(group === undefined ? {} : { [metadataNames.rule]: group }),
    ...(isOutline === undefined ? {} : { [metadataNames.outline]: true }),
    ...(mark === undefined ? {} : { [metadataNames.mark]: mark }),
    ...(title === undefined ? {} : { [metadataNames.title]: title }),
    ...(abstract === undefined ? {} : { [metadataNames.abstract]: abstract }),
  }
  return Object.keys(metadata).length === 0 ? {} : { metadata }
}

/**
 * Writes a MapLibre style document; its source `layer` stands for the drawn layer. `metadata` lists what
 * could not be expressed.
 */
export function writeMapLibre(style: Style, name: string): WrittenStyle {
  const { layers, lost } = writeLayers(style)
  const output = lost.length === 0 ? {} : { metadata: { [metadataNames.lost]: lost } }
  return { document: JSON.stringify({ version: 8, name, ...output, sources: {}, layers }), lost }
}
