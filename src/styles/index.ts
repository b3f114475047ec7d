// Reads, writes and converts style languages, chooses default styles and draws legends, without I/O. Knows no
// layer and no request. Start reading at `convert-style.ts`.

export { backgroundStyle, labelsLayer, type Theme } from './background-style.ts'
export { checkStyleDocument, maxStyleBytes } from './check-style.ts'
export { classifiedStyle } from './classify/classified-style.ts'
export { colorsOf, type PaletteName, paletteKind, paletteKinds, paletteNames } from './classify/palettes.ts'
export { parseColor } from './colors.ts'
export { convertStyle, convertToSe, writeStyle } from './convert-style.ts'
export { legendOf } from './draw/legend.ts'
export type { Legend, LegendEntry } from './draw/legend-model.ts'
export type { LegendRasters } from './draw/legend-rasters.ts'
export { entrySvg, legendSvg, stackedLegendsSvg } from './draw/legend-svg.ts'
export { getStyleLanguage, type StyleFormat, styleFormats, styleLanguages } from './languages.ts'
export { type MappedLayer, type TypeInTiles, writeMapStyle } from './map-style.ts'
export { fontName, mapFileNumber, markSymbols, quoteMapText } from './mapserver/mark-symbols.ts'
export { type DrawnColumn, postgresDialect, type SqlDialect, sqliteDialect } from './mapserver/sql-dialect.ts'
export { type DrawnPart, type DrawnTable, writeMapServer } from './mapserver/write-mapserver.ts'
export type {
  ContrastStretch,
  Dimension,
  PlainSymbolizer,
  RasterColors,
  RasterSymbolizer,
  Style,
} from './model.ts'
export { type QgisLayer, quotedPart, writeQlr } from './qml/write-qlr.ts'
export { readStyle, requireStyleSize } from './read-style.ts'
export { scaleOfZoom } from './scale.ts'
export { styleMessages } from './style-messages.ts'
