import { isInScale } from '../../cartography/evaluate.ts'
import type { RasterSymbolizer, Style } from '../../cartography/model.ts'
import { scaleOfZoom } from '../../cartography/scale.ts'

/** Default for styles without raster rules. */
const usual: RasterSymbolizer = { kind: 'raster', opacity: 1 }

/** Returns the raster symbolizers of a style at a zoom. */
export function rasterSymbols(style: Style, zoom: number): RasterSymbolizer[] {
  const ofRasters = style.rules.filter(({ symbols }) => symbols.some(({ kind }) => kind === 'raster'))
  if (ofRasters.length === 0) return [usual]
  // Tiles have 256 cells here, and 512 where a style counts zooms.
  const scale = scaleOfZoom(zoom - 1)
  return ofRasters
    .filter((rule) => isInScale(rule, scale))
    .flatMap(({ symbols }) => symbols.filter((symbol) => symbol.kind === 'raster'))
}
