import type { Dimension, Style } from '../model.ts'
import { attributes, styleElement, styleTextElement } from '../style-xml.ts'
import { writeQml } from './write-qml.ts'

/** A layer that QGIS can open. */
export interface QgisLayer {
  title: string
  /** `OAPIF` for features, `wms` for pictures in tiles. */
  provider: 'OAPIF' | 'wms'
  /** Data source string of the QGIS provider. */
  source: string
  style: Style
  /** Dimension of its geometry; undefined if it may have any, or has none. */
  dimension: Dimension | undefined
  attribution?: string
}

/** A constant id is sufficient: QGIS assigns a new one to each layer when it opens the file. */
const id = 'terrane_layer'
const geometries = ['Point', 'Line', 'Polygon'] as const

/** A layer definition of QGIS 3, with the style where QGIS draws it itself. */
export function writeQlr({ title, provider, source, style, dimension, attribution }: QgisLayer): string {
  const isVector = provider === 'OAPIF'
  const node = attributes({
    id,
    name: title,
    providerKey: provider,
    source,
    checked: 'Qt::Checked',
    expanded: 1,
  })
  const tree = `<layer-tree-group${attributes({ checked: 'Qt::Checked', expanded: 1, name: '' })}><layer-tree-layer${node}/></layer-tree-group>`
  const kind = isVector
    ? {
        type: 'vector',
        geometry: dimension === undefined ? undefined : geometries[dimension],
        labelsEnabled: 1,
      }
    : { type: 'raster' }
  const parts = [
    styleTextElement('id', id),
    styleTextElement('datasource', source),
    styleTextElement('layername', title),
    ...(attribution === undefined ? [] : [styleTextElement('attribution', attribution)]),
    isVector
      ? `<provider${attributes({ encoding: 'UTF-8' })}>OAPIF</provider>`
      : styleTextElement('provider', provider),
    isVector ? drawnBy(style, dimension) : '',
  ]
  const layer = `<maplayer${attributes(kind)}>${parts.join('')}</maplayer>`
  return `<!DOCTYPE qgis-layer-definition>\n<qlr>${tree}${styleElement('maplayers', layer)}</qlr>\n`
}

/** Returns the contents of a QGIS style document, which a layer definition embeds. */
function drawnBy(style: Style, dimension: Dimension | undefined): string {
  const document = dimension === undefined ? undefined : writeQml(style, dimension)?.document
  return document?.replace(/^[\s\S]*?<qgis[^>]*>/, '').replace(/<\/qgis>\s*$/, '') ?? ''
}

/** Writes a quoted part of a provider's data source. */
export function quotedPart(name: string, value: string): string {
  return `${name}='${value.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`
}
