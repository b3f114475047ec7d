import type { Envelope } from '../../geo/envelope.ts'

/** What `ogrinfo -so` says of one layer. */
export interface OgrLayer {
  name: string
  featureCount?: number
  envelope?: Envelope
  /** WKT 2. */
  wkt?: string
  /** The name of its first field. */
  firstField?: string
  /** The column of the source that holds the numbers of its features. */
  fidColumn?: string
}

const number = '(-?[\\d.]+(?:e[+-]?\\d+)?)'
const extentForm = new RegExp(`^Extent: \\(${number}, ${number}\\) - \\(${number}, ${number}\\)$`, 'm')

/** The layers in the output of `ogrinfo -so -al`. */
export function parseOgrInfo(text: string): OgrLayer[] {
  return text
    .split(/^Layer name: /m)
    .slice(1)
    .map((part) => {
      const name = part.slice(0, part.indexOf('\n'))
      const count = /^Feature Count: (\d+)$/m.exec(part)?.[1]
      const extent = extentForm.exec(part)?.slice(1).map(Number)
      const wkt = /^Layer SRS WKT:\n([\s\S]*?)\n(?:Data axis|[^\s[\]]+: )/m.exec(part)?.[1]
      const firstField = /^(.+): [A-Z]\w*(?:\(\w+\))? \(\d+\.\d+\)/m.exec(part)?.[1]
      const fidColumn = /^FID Column = (.+)$/m.exec(part)?.[1]
      const layer: OgrLayer = { name }
      if (fidColumn !== undefined) layer.fidColumn = fidColumn
      if (firstField !== undefined) layer.firstField = firstField
      if (count !== undefined) layer.featureCount = Number(count)
      if (wkt !== undefined && !wkt.startsWith('(unknown)')) layer.wkt = wkt
      const [minX, minY, maxX, maxY] = extent ?? []
      if (minX !== undefined && minY !== undefined && maxX !== undefined && maxY !== undefined) {
        layer.envelope = { minX, minY, maxX, maxY }
      }
      return layer
    })
}
